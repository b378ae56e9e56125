import Audio

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

/// A sliding maximum that any number of readers can read.
///
/// A window is kept as so many parts; a value is forgotten once its part is older than the window, so after
/// at most one part more.
struct RecentMaximum {
  private let partNanoseconds: Int64
  private var parts: [Double]
  /// The number of the part that runs, counted from the clock's beginning.
  private var newest: Int64 = 0

  /// Values are kept for `parts` parts of `partNanoseconds` each, and the part that runs; none is 0 or less.
  init(parts: Int, partNanoseconds: Int64) {
    self.partNanoseconds = partNanoseconds
    self.parts = [Double](repeating: 0, count: parts + 1)
  }

  /// Adds a value; times must not go back.
  mutating func add(_ value: Double, nowNanoseconds: Int64) {
    let part = nowNanoseconds / partNanoseconds
    let passed = min(max(0, part - newest), Int64(parts.count))
    for step in 0..<passed { parts[index(part - step)] = 0 }
    newest = max(newest, part)
    parts[index(newest)] = max(parts[index(newest)], value)
  }

  /// The greatest of them, as of the last ``add(_:nowNanoseconds:)``.
  var value: Double { parts.reduce(0, max) }

  private func index(_ part: Int64) -> Int { Int(part % Int64(parts.count)) }
}

/// Peaks and worst times.
struct StationMaxima {
  /// The longest callback since the start, nanoseconds.
  private(set) var callbackNanoseconds = 0.0
  /// The same of the last minute.
  private(set) var recentCallbacks = RecentMaximum(parts: 6, partNanoseconds: 10_000_000_000)
  /// The microphone's peak of the last second, linear; the meter holds it for up to half of that.
  private(set) var micPeaks = RecentMaximum(parts: 3, partNanoseconds: 250_000_000)

  /// Takes the microphone's peak; as often as the meter holds it, each quarter of a second at least.
  mutating func hear(_ engine: AudioEngine, nowNanoseconds: Int64) {
    micPeaks.add(Double(engine.micMeter.peak), nowNanoseconds: nowNanoseconds)
  }

  /// Takes the longest callback since the last call, which only the station does;
  /// before each status, and once a second.
  mutating func take(from engine: AudioEngine, nowNanoseconds: Int64) {
    let longest = Double(engine.counters.callbackMaximumNanoseconds)
    engine.resetCallbackMaximum()
    callbackNanoseconds = max(callbackNanoseconds, longest)
    recentCallbacks.add(longest, nowNanoseconds: nowNanoseconds)
  }
}
