import Testing

@testable import Cryptography

@Suite struct PacketIndexTests {
  /// RFC 3711 appendix A, on both sides of each of its comparisons.
  @Test(
    arguments: [
      (0, nil, 0), (65_535, nil, 65_535),
      (1, 0x1_0000, 0x1_0001), (32_767, 0x1_0000, 0x1_7FFF), (32_768, 0x1_0000, 0x1_8000),
      (32_769, 0x1_0000, 0x0_8001), (65_535, 0x1_0000, 0x0_FFFF),
      (0x7FFF, 0x1_FFFF, 0x1_7FFF), (0x7FFE, 0x1_FFFF, 0x2_7FFE), (0, 0x1_FFFF, 0x2_0000),
      (0, 0x1_8000, 0x1_0000), (0xFFFF, 0x1_8000, 0x1_FFFF),
      (65_535, 5, nil), (0, 0xFFFF_FFFF_FFFF, nil), (0xFFFF, 0xFFFF_FFFF_FFFE, 0xFFFF_FFFF_FFFF),
    ] as [(UInt16, UInt64?, UInt64?)])
  func `a sequence number is read as near the highest`(
    sequenceNumber: UInt16, highest: UInt64?, index: UInt64?
  ) {
    #expect(PacketIndex.estimate(sequenceNumber, highest: highest) == index)
  }

  @Test(
    arguments: [
      (7, nil, 7), (0xFFFF_FFFF, nil, 0xFFFF_FFFF), (1, 0xFFFF_FFFF, 0x1_0000_0001),
      (0xFFFF_FFFF, 0x1_0000_0001, 0xFFFF_FFFF), (0x2_0005, 3, 0x2_0005), (0xFFFF_FFFF, 5, nil),
      (0, 0xFFFF_FFFF_FFFF, nil), (0x8000_0000, 0x5_0000_0000, 0x5_8000_0000),
    ] as [(UInt32, UInt64?, UInt64?)])
  func `with half of the roll-over counter, too`(low: UInt32, highest: UInt64?, index: UInt64?) {
    #expect(PacketIndex.estimate(low, highest: highest) == index)
  }
}
