/// Tracks another clock's rate against ours, from readings with random delays.
///
/// A reading is the other clock's lag, our time minus its time, at a moment of ours. Of each block
/// of readings only the least lag counts: the undelayed one. Blocks feed a delay-locked
/// loop of second order (F. Adriaensen, "Using a DLL to filter time", 2005), whose bandwidth
/// follows from what is known: it is a Kalman filter of lag and rate, so it is wide at first, and
/// narrow once the readings' own noise, measured all along, is the greater doubt.
///
/// States: unanchored, following, doubting (up to `doubtBlocks` blocks in a row were beyond the
/// gate; `lateDoubtBlocks` where it may be a stall that goes by). Events: a block.
/// - following, within the gate: the loop takes it. Blocks that lean to one side widen it.
/// - doubting, within the gate: it was a spike, and is forgotten.
/// - doubting, enough: a line through the doubted blocks tells a step (an xrun, another route) from
///   another rate. A step moves the lag and leaves the rate alone; only a line as straight as the
///   noise allows, which begins where the old one was left, moves the rate.
struct ClockTracker {
  private static let fineBlockNanoseconds: Int64 = 100_000_000
  /// Blocks of noisy readings: the least of many is worth more than a mean of leasts.
  private static let coarseBlockNanoseconds: Int64 = 500_000_000
  /// From 20 microseconds on blocks are coarse; fine again below 5.5, as five times the readings
  /// make a fifth of the noise.
  private static let noisyVariance = 4e-10
  private static let calmVariance = 3e-11
  private static let calmedFactor = 25.0
  private static let blockReadings = 4
  /// Standard deviations that a block may be off.
  private static let gateVariance = 25.0
  private static let doubtBlocks = 4
  /// The same of fine blocks that are late, and not all by the same: a machine that stalls makes some in a row, and
  /// then one in time.
  private static let lateDoubtBlocks = DoubtedBlocks.capacity
  /// 2000 ppm: clocks of sound cards differ by 50 as a rule, by 2000 at worst.
  private static let farRateVariance = 4e-6
  /// 500 ppm, for one that is near, and whose readings so tell a step at once.
  private static let nearRateVariance = 2.5e-7
  /// 2 ms and 50 microseconds, until blocks enough have told.
  private static let farNoiseVariance = 4e-6
  private static let nearNoiseVariance = 2.5e-9
  /// A crystal's rate wanders by 0.03 ppm in a second, its time by half a microsecond.
  private static let rateWander = 1e-15
  private static let lagWander = 2.5e-13
  /// What a step leaves in doubt of the rate: 1 ppm.
  private static let stepRateVariance = 1e-12
  /// Blocks over which leaning is averaged.
  private static let leanBlocks = 32.0
  /// The mean of that many normalised errors stays below this by chance.
  private static let greatestLean = 0.8
  /// A clock that was another all at once is no further off than 2000 ppm, and some for the error of measurement.
  private static let greatestNewRate = 2.3e-3
  /// No clock is further off: 5000 ppm.
  private static let greatestRate = 5e-3

  private struct Block {
    var startNanoseconds: Int64 = 0
    var leastNanoseconds: Int64 = 0
    var readings = 0
    var leastError = 0.0
  }

  /// How much the lag grows in a second of ours: above 0 the other clock is the slower one.
  private(set) var rate = 0.0
  /// Variance of `rate`.
  private(set) var rateVariance: Double

  /// Whether the readings' noise is known, and so what `rateVariance` is worth.
  var isExperienced: Bool { noise.isKnown }

  /// Whether its readings are seldom late.
  private let isNear: Bool
  private var isAnchored = false
  private var hasLag = false
  private var isCoarse = false
  private var originNanoseconds: Int64 = 0
  private var epochNanoseconds: Int64 = 0
  private var lag = 0.0
  private var lagVariance = 0.0
  private var covariance = 0.0
  private var noise: BlockNoise
  private var lean = 0.0
  private var block = Block()
  private var doubted = DoubtedBlocks()

  /// Makes a tracker of a clock behind a network, or of a local one, whose readings are seldom late.
  init(isNear: Bool) {
    self.isNear = isNear
    rateVariance = isNear ? Self.nearRateVariance : Self.farRateVariance
    noise = BlockNoise(
      firstVariance: isNear ? Self.nearNoiseVariance : Self.farNoiseVariance)
  }

  /// Restarts the readings at another lag; the rate stays known.
  mutating func unanchor() { isAnchored = false }

  /// Adds a reading; times go back by no more than readings are out of order.
  mutating func observe(lagNanoseconds reading: Int64, at now: Int64) {
    guard isAnchored else {
      anchor(reading, at: now)
      return
    }
    if isFull(at: now) { close() }
    let elapsed = Double(now - epochNanoseconds) * 1e-9
    let error = Double(reading - originNanoseconds) * 1e-9 - lag - rate * elapsed
    if block.readings == 0 {
      block = Block(startNanoseconds: now, leastNanoseconds: now, leastError: error)
    }
    block.readings += 1
    guard error < block.leastError else { return }
    block.leastNanoseconds = now
    block.leastError = error
  }

  private mutating func anchor(_ reading: Int64, at now: Int64) {
    (isAnchored, hasLag) = (true, false)
    originNanoseconds = reading
    epochNanoseconds = now
    lag = 0
    block = Block()
  }

  private func isFull(at now: Int64) -> Bool {
    guard block.readings >= Self.blockReadings else { return false }
    return now - block.startNanoseconds >= blockNanoseconds
  }

  private var blockNanoseconds: Int64 {
    isCoarse ? Self.coarseBlockNanoseconds : Self.fineBlockNanoseconds
  }

  /// Longer or shorter blocks; the least of more readings is less, so the lag begins anew.
  private mutating func chooseBlocks() {
    guard noise.isKnown, !isNear else { return }
    if !isCoarse && noise.variance > Self.noisyVariance {
      isCoarse = true
      hasLag = false
    } else if isCoarse && noise.variance < Self.calmVariance {
      isCoarse = false
      hasLag = false
      noise.scale(by: Self.calmedFactor)
    }
  }

  private mutating func close() {
    let error = block.leastError
    block.readings = 0
    guard hasLag else {
      begin(error)
      return
    }
    predict(to: block.leastNanoseconds)
    if error * error <= Self.gateVariance * (lagVariance + noise.variance) {
      doubted = DoubtedBlocks()
      accept(error)
    } else {
      doubted.add(error, at: Double(epochNanoseconds) * 1e-9)
      if doubted.count >= Self.doubtBlocks { decide() }
    }
    chooseBlocks()
  }

  /// The first block gives the lag, and no rate.
  private mutating func begin(_ error: Double) {
    hasLag = true
    lag += error + rate * Double(block.leastNanoseconds - epochNanoseconds) * 1e-9
    epochNanoseconds = block.leastNanoseconds
    (lagVariance, covariance) = (noise.variance, 0)
    lean = 0
    noise.interrupt()
    doubted = DoubtedBlocks()
  }

  private mutating func predict(to now: Int64) {
    let elapsed = max(0, Double(now - epochNanoseconds) * 1e-9)
    epochNanoseconds = max(epochNanoseconds, now)
    lag += rate * elapsed
    lagVariance +=
      elapsed * (2 * covariance + elapsed * rateVariance) + Self.lagWander * elapsed
    covariance += elapsed * rateVariance
    rateVariance += Self.rateWander * elapsed
  }

  private mutating func accept(_ error: Double) {
    noise.add(lag: lag + error, at: Double(epochNanoseconds) * 1e-9)
    let variance = lagVariance + noise.variance
    let (lagGain, rateGain) = (lagVariance / variance, covariance / variance)
    lag += lagGain * error
    setRate(rate + rateGain * error)
    rateVariance -= rateGain * covariance
    covariance -= lagGain * covariance
    lagVariance -= lagGain * lagVariance
    lean += (error / variance.squareRoot() - lean) / Self.leanBlocks
    guard abs(lean) > Self.greatestLean else { return }
    let slope = lean * variance.squareRoot() / (Self.leanBlocks * Double(blockNanoseconds) * 1e-9)
    rateVariance += slope * slope
    lean = 0
  }

  private mutating func decide() {
    let line = doubted.line()
    let slopeVariance = max(noise.variance, line.residualVariance) / line.spread
    let isStraight = line.residualVariance < 4 * noise.variance
    let isSteep = line.slope * line.slope > 16 * slopeVariance
    let mayBeStall = line.mean > 0 && !isCoarse && doubted.count < Self.lateDoubtBlocks
    if mayBeStall && (isSteep || !isStraight) { return }
    doubted = DoubtedBlocks()
    lean = 0
    // Another rate begins where the old one was left; one that no clock has is a stair of steps.
    let isJoined =
      line.before * line.before <= Self.gateVariance * 4 * (lagVariance + noise.variance)
    let isPossible = abs(rate + line.slope) < Self.greatestNewRate
    if isStraight && isSteep && isJoined && isPossible {
      setRate(rate + line.slope)
      rateVariance += 4 * slopeVariance
      lag += line.newest
    } else {
      rateVariance += Self.stepRateVariance
      lag += line.mean
    }
    noise.learn(line.residualVariance)
    noise.interrupt()
    lagVariance = noise.variance + line.residualVariance
    covariance = 0
  }

  private mutating func setRate(_ new: Double) {
    rate = min(max(new, -Self.greatestRate), Self.greatestRate)
  }
}
