import RTP
import Testing

@Suite struct NTPTimestampTests {
  /// RFC 3550 §6.4.1, figure 2: 10 November 1995, 11:33:25.125 UTC.
  private static let example = NTPTimestamp(rawValue: 0xB44D_B705_2000_0000)

  @Test func `figure 2 of the RFC converts both ways`() {
    let unixNanoseconds: Int64 = 816_003_205_125_000_000
    #expect(NTPTimestamp(unixNanoseconds: unixNanoseconds) == Self.example)
    #expect(Self.example.unixNanoseconds == unixNanoseconds)
  }

  /// "A - LSR - DLSR": 46864.500 s - 46853.125 s - 5.250 s is 6.125 s.
  @Test func `figure 2 of the RFC gives its round trip`() {
    let arrival: UInt32 = 0xB710_8000
    let delay = NTPTimestamp.shortUnits(nanoseconds: 5_250_000_000)
    #expect(delay == 0x0005_4000)
    #expect(Self.example.middleBits == 0xB705_2000)
    let roundTrip = arrival &- Self.example.middleBits &- delay
    #expect(roundTrip == 0x0006_2000)
    #expect(NTPTimestamp.nanoseconds(shortUnits: roundTrip) == 6_125_000_000)
  }

  @Test(
    arguments: [
      0, 1, -1, 999_999_999, 1_000_000_000, -999_999_999, 1_700_000_000_123_456_789,
      2_085_978_495_999_999_999, 2_085_978_496_000_000_000, 4_102_444_800_000_000_001,
    ] as [Int64])
  func `nanoseconds since 1970 come back exactly, before and after 2036`(nanoseconds: Int64) {
    #expect(NTPTimestamp(unixNanoseconds: nanoseconds).unixNanoseconds == nanoseconds)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `any value converts without a trap`(nanoseconds: Int64) {
    let time = NTPTimestamp(rawValue: UInt64(bitPattern: nanoseconds))
    _ = time.unixNanoseconds
    _ = NTPTimestamp(unixNanoseconds: nanoseconds)
    #expect(
      time.advanced(byNanoseconds: nanoseconds).advanced(byNanoseconds: 0).rawValue
        == time.advanced(byNanoseconds: nanoseconds).rawValue)
  }

  @Test(
    arguments: [
      (Int64.min, 0), (-1, 0), (0, 0), (15_258, 0), (15_259, 1), (1_000_000_000, 0x1_0000),
      (65_535_999_999_999, 0xFFFF_FFFF), (65_536_000_000_000, 0xFFFF_FFFF), (.max, 0xFFFF_FFFF),
    ] as [(Int64, UInt32)])
  func `short durations stay within their field`(nanoseconds: Int64, units: UInt32) {
    #expect(NTPTimestamp.shortUnits(nanoseconds: nanoseconds) == units)
  }
}
