/// What a radio does to delays: mostly small ones, now and then a drought, then all at once.
///
/// A packet's own delay is log-normal, which a median and a 99th percentile describe; keeping order
/// lengthens some. Droughts come at random (exponential gaps) and last uniformly long; what would arrive
/// in one arrives at its end.
public struct WiFi: Hashable, Sendable {
  /// Median of a packet's own delay.
  public var medianNanoseconds: Int64 = 6_000_000
  /// Its 99th percentile.
  public var p99Nanoseconds: Int64 = 30_000_000
  /// From the end of a drought to the next, on average.
  public var droughtGapNanoseconds: Int64 = 5_000_000_000
  /// How long droughts last.
  public var droughtNanoseconds: ClosedRange<Int64> = 20_000_000...100_000_000

  /// A Raspberry Pi's radio with power save off.
  public init() {}

  /// A radio in trouble: three times as slow, a drought every third of a second.
  public static let storm: WiFi = {
    var storm = WiFi()
    storm.medianNanoseconds = 18_000_000
    storm.p99Nanoseconds = 90_000_000
    storm.droughtGapNanoseconds = 300_000_000
    storm.droughtNanoseconds = 50_000_000...200_000_000
    return storm
  }()
}
