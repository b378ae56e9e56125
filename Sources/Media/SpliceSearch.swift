/// Finds the lag at which a signal resembles itself most.
enum SpliceSearch {
  /// A lag and the normalised correlation at it, -1...1.
  struct Match {
    var lag: Int
    var similarity: Float
  }

  /// The best of `lags` for the `Splicer.comparedFrames` before `end` of `line`.
  ///
  /// Every fourth lag on a third of the samples first, then the neighbours of the best: some 10 000
  /// multiplications at most.
  static func bestLag(in lags: ClosedRange<Int>, line: Span<Float>, end: Int) -> Match {
    var best = Match(lag: lags.lowerBound, similarity: -2)
    for lag in stride(from: lags.lowerBound, through: lags.upperBound, by: 4) {
      improve(&best, lag: lag, line: line, end: end, stride: 3)
    }
    let nearby = max(lags.lowerBound, best.lag - 3)...min(lags.upperBound, best.lag + 3)
    best.similarity = -2
    for lag in nearby { improve(&best, lag: lag, line: line, end: end, stride: 2) }
    return best
  }

  private static func improve(
    _ best: inout Match, lag: Int, line: Span<Float>, end: Int, stride: Int
  ) {
    var (product, now, before): (Float, Float, Float) = (0, 1e-12, 1e-12)
    var index = end - Splicer.comparedFrames
    while index < end {
      let (new, old) = (line[index], line[index - lag])
      product += new * old
      now += new * new
      before += old * old
      index += stride
    }
    // A louder past is no match, however well shaped: the quotient is below 1 for any difference.
    let similarity = 2 * product / (now + before)
    if similarity > best.similarity { best = Match(lag: lag, similarity: similarity) }
  }
}
