/// A histogram of short times with logarithmic classes, for quantiles without allocation.
///
/// Sixteen classes an octave from 64 ns to about 1 s: a quantile is right within 5 %. Used on the loop thread only.
struct LatencyHistogram {
  private static let classesPerOctave = 16
  private static let lowestExponent = 6
  private static let classCount = 24 * classesPerOctave

  private var counts: [UInt32]
  private(set) var total = 0

  /// Allocates its classes once.
  init() {
    counts = [UInt32](repeating: 0, count: Self.classCount)
  }

  /// Adds one time in nanoseconds; times outside the range fall into the outermost class.
  mutating func add(nanoseconds: Int64) {
    counts[Self.classIndex(nanoseconds)] &+= 1
    total += 1
    if total == 1 << 20 { age() }
  }

  /// The time below which the share `quantile` (0…1) of all times fell, in nanoseconds; nil while empty.
  func quantile(_ quantile: Double) -> Int64? {
    guard total > 0 else { return nil }
    let wanted = Int(Double(total - 1) * quantile)
    var seen = 0
    for (index, count) in counts.enumerated() {
      seen += Int(count)
      if seen > wanted { return Self.upperBound(index) }
    }
    return Self.upperBound(Self.classCount - 1)
  }

  /// Halves all classes, so that weeks of running do not bury the last hour.
  private mutating func age() {
    total = 0
    for index in counts.indices {
      counts[index] /= 2
      total += Int(counts[index])
    }
  }

  private static func classIndex(_ nanoseconds: Int64) -> Int {
    guard nanoseconds >= 1 << lowestExponent else { return 0 }
    let exponent = 63 - nanoseconds.leadingZeroBitCount
    let fraction = Int((nanoseconds << 4) >> Int64(exponent)) & (classesPerOctave - 1)
    return min((exponent - lowestExponent) * classesPerOctave + fraction, classCount - 1)
  }

  private static func upperBound(_ index: Int) -> Int64 {
    let exponent = Int64(index / classesPerOctave + lowestExponent)
    let fraction = Int64(index % classesPerOctave + 1)
    return (1 << exponent) + (fraction << exponent) >> 4
  }
}
