/// A 64-bit NTP time stamp: seconds in the upper half, their fraction in the lower (RFC 3550 §4).
///
/// Counts from 1900, or from any origin where only differences matter.
public struct NTPTimestamp: Hashable, Sendable {
  /// The time stamp as it stands in the packet; wraps every 136 years.
  public var rawValue: UInt64

  /// Seconds from 1900 to 1970.
  private static let unixEpochSeconds: UInt64 = 2_208_988_800
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Makes the time stamp with this value on the wire.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Makes the time stamp of a moment in nanoseconds since 1970; any value, wraps with the era.
  public init(unixNanoseconds: Int64) {
    self.init(rawValue: Self.unixEpochSeconds << 32)
    self = advanced(byNanoseconds: unixNanoseconds)
  }

  /// The time stamp this much later, or earlier when negative; wraps, never traps.
  public func advanced(byNanoseconds nanoseconds: Int64) -> NTPTimestamp {
    var (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: Self.nanosecondsPerSecond)
    if rest < 0 {
      seconds -= 1
      rest += Self.nanosecondsPerSecond
    }
    let fraction = (UInt64(rest) << 32) / UInt64(Self.nanosecondsPerSecond)
    return NTPTimestamp(
      rawValue: rawValue &+ UInt64(bitPattern: seconds) << 32 &+ fraction)
  }

  /// Nanoseconds since 1970, taking a clear top bit as the era that starts in 2036
  /// (RFC 4330 §3): 1968...2104.
  public var unixNanoseconds: Int64 {
    let era: UInt64 = rawValue >> 63 == 0 ? 1 << 32 : 0
    let seconds = Int64(era + rawValue >> 32) - Int64(Self.unixEpochSeconds)
    let fraction = (rawValue & 0xFFFF_FFFF) * UInt64(Self.nanosecondsPerSecond)
    return seconds * Self.nanosecondsPerSecond + Int64((fraction + 1 << 31) >> 32)
  }

  /// The middle 32 bits, 16 of seconds and 16 of fraction: what a report block's LSR echoes
  /// (RFC 3550 §6.4.1).
  public var middleBits: UInt32 {
    UInt32(truncatingIfNeeded: rawValue >> 16)
  }

  /// A duration in units of 1/65536 s, the unit of DLSR; moved into 0...2^32 - 1.
  public static func shortUnits(nanoseconds: Int64) -> UInt32 {
    guard nanoseconds > 0 else { return 0 }
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
    guard seconds <= 0xFFFF else { return .max }
    return UInt32(seconds << 16 | (rest << 16) / nanosecondsPerSecond)
  }

  /// Nanoseconds of a duration in units of 1/65536 s, rounded down.
  public static func nanoseconds(shortUnits: UInt32) -> Int64 {
    (Int64(shortUnits) * nanosecondsPerSecond) >> 16
  }
}
