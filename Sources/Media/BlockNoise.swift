/// How much the blocks of a clock tracker differ by chance: how far each lies beside the line
/// through its neighbours, whatever lag and rate are.
struct BlockNoise {
  /// 5 microseconds: nobody's time stamps are better.
  private static let leastVariance = 2.5e-11
  private static let averagedBlocks = 8
  /// One block counts for no more than so many times the variance known.
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

  /// What comes now does not lie on one line with what was.
  mutating func interrupt() { pointCount = 0 }

  /// Takes a block: its moment and the lag it told, in seconds.
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

  /// Takes a variance that was seen otherwise.
  mutating func learn(_ sample: Double) {
    let bounded = min(sample, Self.greatestSample * variance)
    learntBlocks = min(learntBlocks + 1, Self.averagedBlocks)
    learnt += (bounded - learnt) / Double(learntBlocks)
  }
}
