import RTP
import Testing

@Suite struct SequenceNumberTests {
  @Test(
    arguments: [
      (0, 0, 0), (0, 1, 1), (1, 0, -1), (65535, 0, 1), (0, 65535, -1), (65000, 464, 1000),
      (464, 65000, -1000), (0, 32767, 32767), (0, 32768, -32768), (40000, 7232, -32768),
    ] as [(UInt16, UInt16, Int)])
  func `distance is the shortest way round`(from: UInt16, to: UInt16, distance: Int) {
    #expect(SequenceNumber(rawValue: from).distance(to: SequenceNumber(rawValue: to)) == distance)
  }

  @Test(arguments: [0, 1, -1, 65535, 65536, -65537, 32767, Int.max, Int.min])
  func `advancing by any count keeps the low sixteen bits`(count: Int) {
    let advanced = SequenceNumber(rawValue: 65530).advanced(by: count)
    #expect(advanced.rawValue == UInt16(truncatingIfNeeded: 65530 &+ count))
  }
}

@Suite struct RTPTimestampTests {
  @Test(
    arguments: [
      (0, 0, 0), (0, 480, 480), (480, 0, -480), (0xFFFF_FFFF, 0, 1), (0, 0xFFFF_FFFF, -1),
      (0xFFFF_FF00, 0xE0, 480), (0, 0x7FFF_FFFF, 0x7FFF_FFFF), (0, 0x8000_0000, -0x8000_0000),
    ] as [(UInt32, UInt32, Int)])
  func `distance is the shortest way round`(from: UInt32, to: UInt32, distance: Int) {
    #expect(RTPTimestamp(rawValue: from).distance(to: RTPTimestamp(rawValue: to)) == distance)
  }

  @Test(arguments: [0, 480, -480, 1 << 32, Int.max, Int.min])
  func `advancing by any count keeps the low thirty-two bits`(count: Int) {
    let advanced = RTPTimestamp(rawValue: 0xFFFF_FF00).advanced(by: count)
    #expect(advanced.rawValue == UInt32(truncatingIfNeeded: 0xFFFF_FF00 &+ count))
  }
}
