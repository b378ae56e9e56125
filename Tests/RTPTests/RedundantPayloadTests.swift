import RTP
import Testing

@Suite struct RedundantPayloadTests {
  private static func copies(
    _ payload: RedundantPayload, _ bytes: [UInt8]
  ) -> [RedundantPayload.Copy] {
    var copies: [RedundantPayload.Copy] = []
    payload.forEachCopy(in: bytes.raw) { copies.append($0) }
    return copies
  }

  /// RFC 2198 §4: DVI4 primary (PT 5), an LPC copy (PT 7) of 20 ms before; 160 frames of 8 kHz.
  @Test func `the header of the RFC's example is read`() throws {
    // F=1 PT=7, offset 160, 14 octets; F=0 PT=5.
    let bytes = octets("87 02800E 05") + [UInt8](repeating: 7, count: 14) + [5, 5, 5]
    let payload = try RedundantPayload(bytes.indices, in: bytes.raw)
    #expect(payload.primaryPayloadType == 5)
    #expect(payload.primary == 19..<22)
    let copy = try #require(Self.copies(payload, bytes).first)
    #expect(copy.payloadType == 7 && copy.timestampOffset == 160 && copy.payload == 5..<19)
    #expect(payload.copyCount == 1)
  }

  @Test func `without a copy one octet stands in front`() throws {
    let bytes = octets("6F AABB")
    let payload = try RedundantPayload(bytes.indices, in: bytes.raw)
    #expect(payload.copyCount == 0 && payload.primaryPayloadType == 111)
    #expect(payload.primary == 1..<3)
  }

  @Test(arguments: [
    "", "EF", "EF 0780", "EF 078002", "EF 078002 6F", "EF 078002 6F A1", "EF FFFFFF 6F 00",
    "EF 078001 EF 078001 6F A1",
  ])
  func `headers and copies that do not fit are refused`(text: String) {
    let bytes = octets(text)
    #expect(throws: RTPParseError.redundancy) {
      try RedundantPayload(bytes.indices, in: bytes.raw)
    }
  }

  @Test func `what is written is read back`() throws {
    var bytes = [UInt8](repeating: 0, count: 9) + [1, 2, 3, 4, 5]
    do {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      RedundantPayload.writeCopyHeader(
        payloadType: 111, timestampOffset: RedundantPayload.greatestTimestampOffset,
        payloadBytes: 2, at: 0, into: &raw)
      RedundantPayload.writeCopyHeader(
        payloadType: 111, timestampOffset: 120, payloadBytes: 1, at: 4, into: &raw)
      RedundantPayload.writePrimaryHeader(payloadType: 111, at: 8, into: &raw)
    }
    let payload = try RedundantPayload(bytes.indices, in: bytes.raw)
    let copies = Self.copies(payload, bytes)
    #expect(copies.map(\.timestampOffset) == [16_383, 120])
    #expect(copies.map(\.payload) == [9..<11, 11..<12])
    #expect(payload.primary == 12..<14)
  }

  @Test func `a resent payload names its original`() throws {
    var bytes: [UInt8] = [0, 0, 9, 8]
    do {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      RTXPayload.write(SequenceNumber(rawValue: 0xFFFE), at: 0, into: &raw)
    }
    #expect(bytes == [0xFF, 0xFE, 9, 8])
    let resent = RTXPayload.parse(0..<4, in: bytes.raw)
    #expect(resent?.sequenceNumber.rawValue == 0xFFFE)
    #expect(resent?.payload == 2..<4)
    let tooShort = RTXPayload.parse(0..<1, in: bytes.raw)
    let outside = RTXPayload.parse(0..<5, in: bytes.raw)
    #expect(tooShort == nil && outside == nil)
    let ssrc = SSRC(rawValue: 0x0123_4567)
    #expect(RTXPayload.ssrc(beside: RTXPayload.ssrc(beside: ssrc)) == ssrc)
  }
}
