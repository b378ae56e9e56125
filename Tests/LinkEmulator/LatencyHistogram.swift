import Glibc

/// How many frames left how much later than they should have, in eighths of octaves.
struct LatencyHistogram {
  private static let bucketsPerOctave = 8.0

  private var buckets = [Int](repeating: 0, count: 64 * Int(bucketsPerOctave))
  /// Frames counted.
  private(set) var count = 0
  /// The least of all, 0 of none.
  private(set) var minimumNanoseconds: Int64 = 0

  mutating func add(nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    minimumNanoseconds = count == 0 ? value : min(minimumNanoseconds, value)
    buckets[Int(log2(Double(max(1, value))) * Self.bucketsPerOctave)] += 1
    count += 1
  }

  /// The upper end of the bucket where a quantile 0...1 is, 9 % too much at most; 0 of none.
  func quantile(_ fraction: Double) -> Int64 {
    let wanted = max(1, Int((fraction * Double(count)).rounded(.up)))
    var sum = 0
    for (index, number) in buckets.enumerated() {
      sum += number
      if sum >= wanted { return Int64(exp2(Double(index + 1) / Self.bucketsPerOctave)) }
    }
    return 0
  }
}
