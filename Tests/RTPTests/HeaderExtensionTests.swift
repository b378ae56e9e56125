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

  @Test(
    arguments: [
      ("BEDE0001 20050000", 5), ("BEDE0002 10A1 21 8001 000000", 0x8001), ("BEDE0001 20000000", 0),
      ("BEDE0002 23 80000001 000000", 0x8000_0001), ("BEDE0001 22 000005", 5),
      // Of two the last counts; of an unfit length it is none, as behind the end of the walk.
      ("BEDE0001 2005 2006", 6), ("BEDE0002 24 0102030405 0000", nil),
      ("BEDE0001 F0AA 2005", nil), ("BEDE0001 10A10000", nil),
      ("10000001 0201 0500", 5), ("10000001 0200 0000", nil),
      ("10000002 02058000 00000100", nil), ("10000002 0204 80000001 0000", 0x8000_0001),
    ] as [(String, UInt32?)])
  func `whom a packet is for is found in both forms`(elements: String, lines: UInt32?) throws {
    let packet = try parse(octets("90 6F 0001 00000002 00000003" + elements))
    #expect(packet.header.lines?.rawValue == lines)
  }

  @Test(
    arguments: [
      ("BEDE0001 30050000", 5), ("BEDE0002 10A1 2005 30FE 0000", 254), ("BEDE0001 20050000", nil),
      ("BEDE0001 31050500", nil), ("10000001 0301 0000", 0),
    ] as [(String, UInt8?)])
  func `how many packets went to the same is found in both forms`(
    elements: String, run: UInt8?
  ) throws {
    let packet = try parse(octets("90 6F 0001 00000002 00000003" + elements))
    #expect(packet.header.run == run)
  }

  @Test func `a line has a number below 32`() {
    var set = LineSet.everyone
    set.insert(line: 31)
    set.insert(line: 32)
    #expect(set.rawValue == 0x8000_0001 && set.contains(line: 0) && set.contains(line: 31))
    #expect(!set.contains(line: 1) && !set.contains(line: 32) && !set.contains(line: -1))
    #expect(LineSet(line: -1) == nil && LineSet(line: LineSet.capacity) == nil)
    #expect(LineSet(line: 0)?.rawValue == 1 && LineSet(line: 31)?.rawValue == 1 << 31)
    #expect(LineSet(line: 3)?.isSubset(of: LineSet(rawValue: 0x0C)) == true)
  }
}
