import CRealtime
import Glibc
import Testing

/// What the two ends of the link look at before they believe a frame.
@Suite("Link to the plugin: frames")
struct LinkTests {
  private static let client = "comlink"

  private func bytes<Frame>(of frame: Frame) -> [UInt8] {
    unsafe withUnsafeBytes(of: frame) { unsafe Array($0) }
  }

  private func judge(hello: [UInt8]) -> Int32 {
    unsafe rt_link_check_hello(hello, hello.count, Self.client)
  }

  @Test
  func `a hello of this version for this client is met`() {
    #expect(judge(hello: RawLink.hello()) == 0)
    #expect(judge(hello: RawLink.hello(client: "other")) == -EINVAL)
    #expect(judge(hello: RawLink.hello(client: "comlink2")) == -EINVAL)
    #expect(judge(hello: RawLink.hello(client: "")) == -EINVAL)
  }

  @Test
  func `of another version or layout it is refused as such, whatever its length`() {
    let own = RawLink.hello()
    for place in [4, 8, 15] {
      var other = own
      other[place] ^= 1
      #expect(judge(hello: other) == -EPROTONOSUPPORT)
      #expect(judge(hello: Array(other.prefix(16))) == -EPROTONOSUPPORT)
      #expect(judge(hello: other + [UInt8](repeating: 7, count: 300)) == -EPROTONOSUPPORT)
    }
  }

  @Test
  func `every cut, longer or unended hello, and another magic, is none`() {
    let own = RawLink.hello()
    for count in 0..<own.count { #expect(judge(hello: Array(own.prefix(count))) == -EPROTO) }
    #expect(judge(hello: own + [0]) == -EPROTO)
    var other = own
    other[0] ^= 1
    #expect(judge(hello: other) == -EPROTO)
    let unended = Array(own.prefix(16)) + [UInt8](repeating: 97, count: Int(RT_NAME_BYTES))
    #expect(judge(hello: unended) == -EPROTO)
  }

  @Test
  func `a welcome says its result, and nothing else is one`() {
    func judge(_ frame: [UInt8]) -> Int32 { unsafe rt_link_check_welcome(frame, frame.count) }
    var welcome = rt_link_welcome()
    welcome.version = rt_link_own_version()
    #expect(judge(bytes(of: welcome)) == 0)
    for count in 0..<bytes(of: welcome).count {
      #expect(judge(Array(bytes(of: welcome).prefix(count))) == -EPROTO)
    }
    welcome.result = -EBUSY
    #expect(judge(bytes(of: welcome)) == -EBUSY)
    welcome.result = 1
    #expect(judge(bytes(of: welcome)) == -EPROTO)
    welcome.version.version += 1
    #expect(judge(bytes(of: welcome)) == -EPROTONOSUPPORT)
  }

  @Test
  func `a request is whole, known, numbered and its names end, or it is none`() {
    func judge(_ frame: [UInt8]) -> Int32 { unsafe rt_link_check_request(frame, frame.count) }
    var request = rt_link_request()
    request.serial = 1
    for kind in RT_LINK_SET_PORT.rawValue...RT_LINK_LEAVE.rawValue {
      request.kind = kind
      #expect(judge(bytes(of: request)) == 0)
    }
    let whole = bytes(of: request)
    for count in [0, 1, 11, whole.count - 1] {
      #expect(judge(Array(whole.prefix(count))) == -EPROTO)
    }
    #expect(judge(whole + [0]) == -EPROTO)
    for (place, value) in [(0, 0), (4, RT_LINK_NOTICE.rawValue), (4, RT_LINK_LEAVE.rawValue + 1)] {
      var other = whole
      other[place] = UInt8(value)
      #expect(judge(other) == -EPROTO)
    }
    for start in [12, 12 + Int(RT_PORT_NAME_BYTES)] {
      var unended = whole
      for place in start..<start + Int(RT_PORT_NAME_BYTES) { unended[place] = 97 }
      #expect(judge(unended) == -EPROTO)
    }
  }

  @Test
  func `an answer has as much text as it says, a notice has none and no serial`() {
    func judge(
      serial: UInt32, kind: rt_link_kind, result: Int32, text: Int, cut: Int = 0
    ) -> Int32 {
      var answer = rt_link_answer()
      (answer.serial, answer.kind, answer.result) = (serial, kind.rawValue, result)
      let frame = bytes(of: answer) + [UInt8](repeating: 97, count: text)
      return unsafe rt_link_check_answer(frame, frame.count - cut)
    }
    #expect(judge(serial: 1, kind: RT_LINK_CONNECTIONS, result: 5, text: 5) == 0)
    #expect(judge(serial: 1, kind: RT_LINK_CONNECTIONS, result: -ENOSPC, text: 0) == 0)
    #expect(judge(serial: 1, kind: RT_LINK_SET_PORT, result: 5, text: 0) == 0)
    #expect(judge(serial: 0, kind: RT_LINK_NOTICE, result: 0, text: 0) == 0)
    #expect(judge(serial: 1, kind: RT_LINK_CONNECTIONS, result: 5, text: 4) == -EPROTO)
    #expect(judge(serial: 1, kind: RT_LINK_CONNECTIONS, result: 5, text: 6) == -EPROTO)
    #expect(judge(serial: 1, kind: RT_LINK_CONNECTIONS, result: .max, text: 6) == -EPROTO)
    #expect(judge(serial: 1, kind: RT_LINK_SET_PORT, result: 0, text: 1) == -EPROTO)
    #expect(judge(serial: 1, kind: RT_LINK_NOTICE, result: 0, text: 0) == -EPROTO)
    #expect(judge(serial: 0, kind: RT_LINK_CONNECT, result: 0, text: 0) == -EPROTO)
    #expect(judge(serial: 1, kind: rt_link_kind(99), result: 0, text: 0) == -EPROTO)
    #expect(judge(serial: 1, kind: RT_LINK_CONNECT, result: 0, text: 0, cut: 1) == -EPROTO)
  }
}
