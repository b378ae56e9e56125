/// The greatest value of late, whoever asks and however often.
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

  /// Takes a value of now; times must not go back.
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
