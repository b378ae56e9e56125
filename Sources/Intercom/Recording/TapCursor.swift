/// Where the next frames of one stream belong on the time line.
///
/// Two things are known when frames come: that they follow the last ones, if the ring between the callback and the loop has
/// not run dry since; and an estimate from the count of callbacks and the ring's fill. The estimate is off by a period
/// if it was made while a callback ran, so a stream goes on where it was until ``disagreements`` estimates in a
/// row say otherwise, as after frames were lost.
struct TapCursor {
  /// Estimates in a row that move a stream: no callback runs that often just then.
  private static let disagreements = 8

  /// Where the frames after the last ones belong; nil: nothing came yet.
  private(set) var next: Int64?
  private var differing = 0

  /// The position of `frameCount` frames.
  ///
  /// - Parameters:
  ///   - estimate: their position by callbacks and fill.
  ///   - isContinuous: whether they follow the last ones in the ring.
  mutating func place(_ frameCount: Int, estimate: Int64, isContinuous: Bool) -> Int64 {
    let position = position(estimate, isContinuous: isContinuous)
    next = position + Int64(frameCount)
    return position
  }

  /// Takes the next frames as they are estimated.
  mutating func interrupt() { self = TapCursor() }

  private mutating func position(_ estimate: Int64, isContinuous: Bool) -> Int64 {
    guard let next else { return estimate }
    guard isContinuous else {
      differing = 0
      return max(estimate, next)
    }
    differing = estimate == next ? 0 : differing + 1
    guard differing >= Self.disagreements else { return next }
    differing = 0
    return estimate
  }
}
