/// The random noise of a clock tracker's blocks: how far each lies off the line through its
/// neighbours, whatever lag and rate are.
struct BlockNoise {
  /// 5 microseconds: no time stamps are better.
  private static let leastVariance = 2.5e-11
  private static let averagedBlocks = 8
  /// Most that one block counts for, as a multiple of the known variance.
  private static let greatestSample = 4.0

  private struct Point {
    var moment = 0.0
    var lag = 0.0
  }

  private let firstVariance: Double
  private var learnt = 0.0
  private var learntBlocks = 0
  private var pointCount = 0
  private var older = Point()
  private var newer = Point()

  /// Whether the variance has been learnt.
  var isKnown: Bool { learntBlocks >= Self.averagedBlocks }
  /// Variance of a block, seconds squared.
  var variance: Double { max(learnt, isKnown ? Self.leastVariance : firstVariance) }

  /// Begins with at least a variance, which leaves doubts with the rate until blocks have told.
  init(firstVariance: Double) { self.firstVariance = firstVariance }

  /// Marks a discontinuity: the next blocks are not on the old line.
  mutating func interrupt() { pointCount = 0 }

  /// Adds a block: its time and its lag, in seconds.
  mutating func add(lag: Double, at moment: Double) {
    let newest = Point(moment: moment, lag: lag)
    if pointCount >= 2, moment > older.moment {
      let part = (newer.moment - older.moment) / (moment - older.moment)
      let beside = newer.lag - older.lag - part * (lag - older.lag)
      learn(beside * beside / (1 + part * part + (1 - part) * (1 - part)))
    }
    pointCount = min(pointCount + 1, 2)
    (older, newer) = (newer, newest)
  }

  /// Blocks become another kind.
  mutating func scale(by factor: Double) { learnt *= factor }

  /// Sets a variance measured elsewhere.
  mutating func learn(_ sample: Double) {
    let bounded = min(sample, Self.greatestSample * variance)
    learntBlocks = min(learntBlocks + 1, Self.averagedBlocks)
    learnt += (bounded - learnt) / Double(learntBlocks)
  }
}
