import RTP
import Testing

@Suite struct RTPPacketTests {
  private static let fields = "6F 0001 00000002 00000003"

  @Test(arguments: [
    ("80 \(fields)", 12..<12), ("80 \(fields) AABBCC", 12..<15),
    // CC = 2 and CC = 15: contributing sources are skipped.
    ("82 \(fields) 11111111 22222222 AA", 20..<21),
    ("8F \(fields) " + String(repeating: "00000000", count: 15) + "AA", 72..<73),
    // Padding of one octet, of several, and of all there is.
    ("A0 \(fields) AABB 01", 12..<14), ("A0 \(fields) AA 000003", 12..<13),
    ("A0 \(fields) 000003", 12..<12),
    // An extension of no words, and one of an unknown profile.
    ("90 \(fields) BEDE0000 AA", 16..<17), ("90 \(fields) 12340001 FFFFFFFF AA", 20..<21),
    // All at once: one source, an extension, padding.
    ("B1 \(fields) 11111111 BEDE0001 10A10000 AABB 02 02", 24..<26),
  ])
  func `the payload is what headers and padding leave`(hexadecimal: String, payload: Range<Int>)
    throws
  {
    let packet = try parse(octets(hexadecimal))
    #expect(packet.payload == payload)
    #expect(packet.header.payloadType == 111)
    #expect(packet.header.sequenceNumber.rawValue == 1)
    #expect(packet.header.timestamp.rawValue == 2)
    #expect(packet.header.ssrc.rawValue == 3)
  }

  @Test(arguments: [
    ("", RTPParseError.truncated), ("80", .truncated), ("80 6F 0001 00000002 000000", .truncated),
    ("00 \(fields)", .version), ("40 \(fields)", .version), ("C0 \(fields)", .version),
    ("81 \(fields)", .truncated), ("8F \(fields) AABBCCDD", .truncated),
    ("90 \(fields)", .headerExtension), ("90 \(fields) BEDE00", .headerExtension),
    ("90 \(fields) BEDE0001 AABBCC", .headerExtension),
    ("90 \(fields) BEDEFFFF 00", .headerExtension),
    ("90 \(fields) BEDE0001 13AABBCC", .headerExtension),
    ("90 \(fields) 10000001 01 04 AABB", .headerExtension),
    ("90 \(fields) 10000001 00 00 00 01", .headerExtension),
    // "a valid octet count" (A.1): not zero, not more than there is, not over an extension.
    ("A0 \(fields) AABB 00", .padding), ("A0 \(fields) AABB 04", .padding),
    ("A0 \(fields)", .padding), ("A0 \(fields) FF", .padding),
    ("B0 \(fields) BEDE0001 10A10001", .padding),
  ])
  func `a malformed packet throws its reason`(hexadecimal: String, reason: RTPParseError) {
    #expect(throws: reason) { try parse(octets(hexadecimal)) }
  }

  @Test(arguments: [UInt8(0), 64, 72, 95, 127])
  func `the payload type is left to who has the session`(payloadType: UInt8) throws {
    var bytes = octets("80 \(Self.fields)")
    bytes[1] = payloadType
    #expect(try parse(bytes).header.payloadType == payloadType)
  }
}
