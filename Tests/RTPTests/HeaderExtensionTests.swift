import RTP
import Testing

@Suite struct HeaderExtensionTests {
  private static func level(_ headerExtension: String) throws -> UInt8? {
    try parse(octets("90 6F 0001 00000002 00000003" + headerExtension)).header.audioLevel?.octet
  }

  /// RFC 8285 §4.2, its example's shape: elements of one, two and four octets with padding between.
  @Test(
    arguments: [
      ("BEDE0003 20AA 31BBCC 0000 43DDEEFF11", nil), ("BEDE0003 10A1 31BBCC 0000 43DDEEFF11", 0xA1),
      ("BEDE0003 20AA 31BBCC 0000 10A1 000000", 0xA1), ("BEDE0001 000010A1", 0xA1),
      ("BEDE0001 20AA10A1", 0xA1),
      // Another length than one octet is not the level of RFC 6464.
      ("BEDE0001 11A1A100", nil),
      // ID 15, or ID 0 with a length, ends the walk; what came before counts.
      ("BEDE0001 10A1F0AA", 0xA1), ("BEDE0002 FFAAAAAA 10A10000", nil),
      ("BEDE0001 01AA10A1", nil), ("BEDE0001 10A10FAA", 0xA1),
    ] as [(String, UInt8?)])
  func `the level is found among one-byte elements`(elements: String, level: UInt8?) throws {
    #expect(try Self.level(elements) == level)
  }

  /// RFC 8285 §4.3: 0x100 and four bits of the application's, an octet each for ID and length.
  @Test(
    arguments: [
      ("10000001 0101A100", 0xA1), ("100F0001 0101A100", 0xA1), ("10000001 000101A1", 0xA1),
      ("10000002 0200 0302AABB 0000", nil), ("10000002 0200 0101A1 000000", 0xA1),
      ("10000001 01000000", nil), ("10000001 0102A1A1", nil), ("10100001 0101A100", nil),
    ] as [(String, UInt8?)])
  func `the level is found among two-byte elements`(elements: String, level: UInt8?) throws {
    #expect(try Self.level(elements) == level)
  }
}
