/// The way to the remote and back, without the time the remote held the report
/// (RFC 3550 §6.4.1).
public struct RoundTripTime: Hashable, Sendable {
  /// The newest measurement.
  public private(set) var lastNanoseconds: Int64
  /// All measurements, each new one with the weight 1/8 (the constant of RFC 6298 §2).
  public private(set) var smoothedNanoseconds: Int64

  /// How many there were.
  public private(set) var measurementCount = 1

  init(firstNanoseconds: Int64) {
    lastNanoseconds = firstNanoseconds
    smoothedNanoseconds = firstNanoseconds
  }

  mutating func add(nanoseconds: Int64) {
    lastNanoseconds = nanoseconds
    measurementCount += 1
    smoothedNanoseconds += (nanoseconds - smoothedNanoseconds) / 8
  }
}
