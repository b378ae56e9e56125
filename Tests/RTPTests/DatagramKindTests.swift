import RTP
import Testing

@Suite struct DatagramKindTests {
  /// RFC 7983 §7: STUN 0...3, ZRTP 16...19, DTLS 20...63, TURN 64...79, RTP and RTCP 128...191.
  @Test func `the first octet alone decides whether it is ours`() {
    for first in UInt8.min...UInt8.max {
      let bytes: [UInt8] = [first, 111]
      let kind = DatagramKind.classify(bytes.raw)
      #expect(kind == ((128...191).contains(first) ? .rtp : .unknown), "first octet \(first)")
    }
  }

  /// RFC 5761 §4: RTCP packet types 192...223 stand where RTP has the marker and types 64...95.
  @Test func `the second octet tells RTCP from RTP`() {
    for second in UInt8.min...UInt8.max {
      let bytes: [UInt8] = [0x80, second]
      let kind = DatagramKind.classify(bytes.raw)
      #expect(kind == ((192...223).contains(second) ? .rtcp : .rtp), "second octet \(second)")
    }
  }

  @Test func `Opus with and without marker is RTP and every report is RTCP`() {
    for second: UInt8 in [111, 0x80 | 111] {
      #expect(DatagramKind.classify([0x90, second].raw) == .rtp)
    }
    for second: UInt8 in [200, 201, 202, 203, 204, 205, 206, 207] {
      #expect(DatagramKind.classify([0x81, second].raw) == .rtcp)
    }
  }

  @Test func `fewer than two octets are nothing`() {
    #expect(DatagramKind.classify(RawSpan()) == .unknown)
    #expect(DatagramKind.classify([0x80 as UInt8].raw) == .unknown)
  }
}
