/// Measures a sender's sample clock against that of our device.
///
/// Both are followed against the loop's own time (CLOCK_MONOTONIC), each by a `ClockTracker`: the
/// sender's by its time stamps and when they came, the device's by its beats. So each may step (an
/// xrun, a suspended machine, a storm on the link) without the rates being taken for changed, and
/// nothing this node does to the sound, splices or steering, comes back in what is measured.
struct ClockRecovery {
  /// A drift that is accepted at once: sound cards usually differ by 50 ppm.
  private static let evidentDrift = 10e-6
  /// A drift that is accepted after a minute.
  ///
  /// Two servers on one clock looked 4 ppm apart for some seconds, on a machine that stalls. Less is none: a period of
  /// 64 frames then lasts 11 minutes and more.
  private static let slowDrift = 2e-6
  private static let slowNanoseconds: Int64 = 60_000_000_000
  /// Below this drift the clocks count as equal again.
  private static let noDrift = 1e-6
  /// Beats an hour off belong to another device.
  private static let greatestLagNanoseconds = 3.6e12
  /// Standard deviations that a drift must be above to be believed, and how great one may be: what
  /// is acted upon is no worse in tune than what is not.
  private static let significance = 6.0
  /// How far the delay of a link and its end nodes wanders within seconds, in seconds.
  ///
  /// It is not noise of single readings, and looks like drift in a short measurement: 60 microseconds in three
  /// seconds were seen between two nodes of one machine, 24 ppm.
  private static let wander = 150e-6
  private static let greatestDeviation = 30e-6
  /// Locked: 5 ppm is a twelfth of what the best ear tells (about 1 cent, 580 ppm, is a hundredth).
  private static let lockDeviation = 5e-6

  private var sender = ClockTracker(isNear: false)
  private var device = ClockTracker(isNear: true)
  private var lastGrid: PlayoutGrid?
  /// The beat from which the device's lag is counted.
  private var firstGrid: PlayoutGrid?
  /// Start of this sender's time line.
  private var firstArrivalNanoseconds: Int64?
  private var slowSinceNanoseconds: Int64?

  /// JACK's rate in hertz: how many frames a second of the device nominally has.
  var deviceRate = MediaClock.framesPerSecond {
    didSet { if deviceRate != oldValue { forgetDevice() } }
  }

  /// Whether the clocks are known to differ: beats slide against arrivals.
  private(set) var isSliding = false

  /// Device frames per sender frame, both at nominal rate; 1 while unknown.
  var ratio: Double { isSliding ? (1 - device.rate) / (1 - sender.rate) : 1 }

  /// How much faster than ours the sender's clock is; 0: the same.
  var drift: Double { (1 - sender.rate) / (1 - device.rate) - 1 }

  /// How much later each second of the sender's audio arrives than the one before; 0 while unknown.
  var arrivalSlope: Double {
    let isKnown = sender.isExperienced && sender.rateVariance.squareRoot() < Self.greatestDeviation
    return isKnown ? sender.rate : 0
  }

  /// Whether `drift` is known to within a few ppm.
  var isLocked: Bool { isExperienced && deviation < Self.lockDeviation }

  private var isExperienced: Bool {
    sender.isExperienced && (lastGrid == nil || device.isExperienced)
  }

  private var deviation: Double {
    (sender.rateVariance + (lastGrid == nil ? 0 : device.rateVariance)).squareRoot()
  }

  /// Another time line of the same sender, or another sender; known rates become a first guess.
  mutating func restartSender() {
    sender.unanchor()
    firstArrivalNanoseconds = nil
  }

  /// Adds a packet's arrival.
  mutating func observe(arrivalNanoseconds arrival: Int64, mediaNanoseconds media: Int64) {
    firstArrivalNanoseconds = firstArrivalNanoseconds ?? arrival
    sender.observe(lagNanoseconds: arrival - media, at: arrival)
    judge(arrival)
  }

  /// Sets the device's next beat, or marks beats as unknown.
  mutating func observe(_ grid: PlayoutGrid?) {
    defer { lastGrid = grid }
    guard let grid, let last = lastGrid, grid.periodNanoseconds == last.periodNanoseconds else {
      forgetDevice()
      return
    }
    let first = firstGrid ?? last
    firstGrid = first
    guard grid.beatNanoseconds != last.beatNanoseconds else { return }
    let frames = Double(grid.beatFrames &- first.beatFrames)
    let elapsed = Double(grid.beatNanoseconds &- first.beatNanoseconds)
    let lag = elapsed - frames * 1e9 / Double(deviceRate)
    guard abs(lag) < Self.greatestLagNanoseconds else {
      forgetDevice()
      return
    }
    device.observe(lagNanoseconds: Int64(lag.rounded()), at: grid.beatNanoseconds)
  }

  private mutating func forgetDevice() {
    device.unanchor()
    firstGrid = nil
  }

  private mutating func judge(_ now: Int64) {
    if isSliding {
      isSliding = abs(drift) > Self.noDrift || !isLocked
      slowSinceNanoseconds = nil
      return
    }
    let doubt = Self.significance * deviation
    let watched = max(1, Double(now - (firstArrivalNanoseconds ?? now)) * 1e-9)
    let isBelieved =
      isExperienced && deviation < Self.greatestDeviation
      && abs(drift) > max(Self.slowDrift, doubt)
    let isEvident = abs(drift) > max(Self.evidentDrift, doubt + Self.wander / watched)
    let since = slowSinceNanoseconds ?? now
    slowSinceNanoseconds = isBelieved ? since : nil
    isSliding = isBelieved && (isEvident || now - since > Self.slowNanoseconds)
  }
}
