/// Consecutive outliers of a clock tracker, and the straight line through them.
struct DoubtedBlocks {
  /// The line of least squares.
  struct Line {
    var mean = 0.0
    var slope = 0.0
    /// The line one block before the oldest error.
    var before = 0.0
    /// The line at the newest error.
    var newest = 0.0
    /// Variance of what the line leaves.
    var residualVariance = 0.0
    /// Sum of the squared distances of the moments from their mean.
    var spread = 0.0
  }

  /// Room for as many.
  static let capacity = 8

  private var errors = InlineArray<8, Double>(repeating: 0)
  private var moments = InlineArray<8, Double>(repeating: 0)
  private(set) var count = 0

  /// Adds an error and its time, in seconds; there must be room.
  ///
  /// Errors to the other side than before make them all chance.
  mutating func add(_ error: Double, at moment: Double) {
    if count > 0, (error < 0) != (errors[count - 1] < 0) { count = 0 }
    errors[count] = error
    moments[count] = moment
    count += 1
  }

  /// The line through all, at least three.
  func line() -> Line {
    var (meanError, meanMoment) = (0.0, 0.0)
    for index in 0..<count {
      meanError += errors[index] / Double(count)
      meanMoment += moments[index] / Double(count)
    }
    var (spread, product) = (1e-9, 0.0)
    for index in 0..<count {
      let distance = moments[index] - meanMoment
      spread += distance * distance
      product += distance * (errors[index] - meanError)
    }
    var line = Line(mean: meanError, slope: product / spread, spread: spread)
    let oldest = moments[0] - (moments[count - 1] - moments[0]) / Double(count - 1)
    line.before = meanError + line.slope * (oldest - meanMoment)
    line.newest = meanError + line.slope * (moments[count - 1] - meanMoment)
    for index in 0..<count {
      let rest = errors[index] - meanError - line.slope * (moments[index] - meanMoment)
      line.residualVariance += rest * rest / Double(count - 2)
    }
    return line
  }
}
