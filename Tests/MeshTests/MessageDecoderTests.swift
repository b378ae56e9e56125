import Mesh
import TestKit
import Testing

/// Messages out of a stream of octets, within bounds.
@Suite struct MessageDecoderTests {
  private func feed(
    _ decoder: inout MessageDecoder, _ octets: some Sequence<UInt8>, at nanoseconds: Int64 = 0
  ) throws(MeshError) -> [Message] {
    var messages: [Message] = []
    try decoder.receive(octets, nowNanoseconds: nanoseconds) {
      messages.append($0)
      return true
    }
    return messages
  }

  @Test func `messages come out however they are cut`() throws {
    let stream = MessageTests.all.flatMap { $0.frame() }
    for size in [1, 2, 3, 5, 64, 1000, stream.count] {
      var decoder = MessageDecoder()
      var messages: [Message] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        messages += try feed(&decoder, stream[start..<min(start + size, stream.count)])
      }
      #expect(messages == MessageTests.all, "\(size) octets at once")
      #expect(decoder.heldBytes == 0 && decoder.deadlineNanoseconds == nil)
    }
  }

  @Test func `a length of 4 GiB is refused with its fourth octet, and nothing is held`() throws {
    var decoder = MessageDecoder(limits: .member)
    #expect(try feed(&decoder, [0xFF, 0xFF, 0xFF]).isEmpty)
    let error = MeshError.oversized(byteCount: 4_294_967_295, maximum: 10_485_760)
    #expect(throws: error) { try feed(&decoder, [0xFF]) }
    #expect(decoder.heldBytes == 0)
    #expect(throws: error, "and for good") { try feed(&decoder, Message.invite.frame()) }
  }

  @Test func `the limit itself is allowed, one more is not, and a stranger has less`() throws {
    for (limits, maximum) in [(MessageLimits.member, 10_485_760), (.stranger, 65_536)] {
      var decoder = MessageDecoder(limits: limits)
      #expect(limits.maximumBytes == maximum)
      let prefix = { (count: Int) in (0..<4).reversed().map { UInt8(count >> (8 * $0) & 0xFF) } }
      #expect(try feed(&decoder, prefix(maximum)).isEmpty)
      #expect(decoder.heldBytes == 4, "an announced length takes no memory")
      var other = MessageDecoder(limits: limits)
      #expect(throws: MeshError.self) { try feed(&other, prefix(maximum + 1)) }
    }
  }

  @Test func `a message of no octets is refused`() {
    var decoder = MessageDecoder()
    #expect(throws: MeshError.truncated) { try feed(&decoder, [0, 0, 0, 0]) }
  }

  @Test func `a message has to be whole in time, however steadily it drips`() throws {
    var decoder = MessageDecoder()
    let frame = MessageTests.all[0].frame()
    #expect(decoder.deadlineNanoseconds == nil)
    _ = try feed(&decoder, frame.prefix(1), at: .seconds(100))
    #expect(decoder.deadlineNanoseconds == .seconds(105))
    _ = try feed(&decoder, frame.dropFirst().prefix(20), at: .seconds(104.9))
    #expect(throws: Never.self) { try decoder.check(nowNanoseconds: .seconds(104.9)) }
    #expect(throws: MeshError.slow(seconds: 5)) {
      try feed(&decoder, frame.dropFirst(21), at: .seconds(105))
    }
    #expect(decoder.heldBytes == 0)
  }

  @Test func `a connection that says nothing between messages is not slow`() throws {
    var decoder = MessageDecoder()
    #expect(try feed(&decoder, Message.invite.frame(), at: 0) == [.invite])
    #expect(try feed(&decoder, Message.accept.frame(), at: .seconds(1000)) == [.accept])
  }

  @Test func `what came before an error is handed over, and nothing after it`() {
    var decoder = MessageDecoder()
    var messages: [Message] = []
    let bad: [UInt8] = [0, 0, 0, 1, 1]
    #expect(throws: MeshError.malformed(type: 1, tag: 1)) {
      try decoder.receive(
        Message.invite.frame() + bad + Message.accept.frame(), nowNanoseconds: 0
      ) {
        messages.append($0)
        return true
      }
    }
    #expect(messages == [.invite])
  }

  @Test func `limits may grow between two messages of one chunk`() throws {
    var decoder = MessageDecoder()
    decoder.limits = .member
    let large = [0, 1, 0x11, 0x70] + [0x3F] + [UInt8](repeating: 0, count: 0x1_116F)
    #expect(try feed(&decoder, large) == [.unknown(type: 0x3F)])
  }

  @Test func `errors have words`() {
    let errors: [MeshError] = [
      .oversized(byteCount: 11, maximum: 10), .truncated, .malformed(type: 1, tag: 2),
      .version(major: 3, minor: 4), .slow(seconds: 5),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
