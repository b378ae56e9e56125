/// Decides how late a stream plays: a target for its offset (see `ArrivalWindow`), and what to do
/// about the difference.
///
/// States: settled; correcting down (surplus), up (deficit). Events: an arrival, a render.
/// - Down: a surplus above 0.75 ms, or above 0.25 ms for 5 s, is taken out until less than 0.1 ms
///   is left. 0.75 ms is below the 1.33 ms by which an xrun at 64 frames shifts the stream, and
///   above what the window's 99 % point wanders on a calm link. Splices wait for a good match up
///   to 0.7 s, so that a shift is gone within a second, and within a few in a tone that is led there
///   (`Varispeed`). Where jitter makes that point wander by more (`TargetWander`), who follows it down is too
///   low when it comes back: there the limits are ten and five times that. Else not 0.5 % but up to 0.8 % are
///   late, and splices are several times as many.
/// - On a calm link single packets that are late, too, are heard: what the worst of two minutes needed is added, up to
///   0.75 ms (`RareLateness`), whether clocks slide or not.
/// - The target keeps 0.1 ms above what is required: a frame short, and on a grid of beats a share
///   of the packets is a whole period late.
/// - Up: when half of that is used up; within 0.1 s, as packets soon will be late. Within 1.5 s where
///   only a resampler's room is missing: it begins no sooner, and the clocks go apart meanwhile.
/// - Up or down where only repairs are late, or the rate of late packets is a little off: in silence,
///   and anywhere within 1.5 s after 3 s without; these 3 s are not waited for where more than 25 ms are
///   missing, as then more is lost than a splice costs.
/// - Where the delay is fixed and packets have 2 ms to spare, only 1 ms too little counts:
///   it is not held to what is late.
/// - Trim: while settled, delay that repairs need no more is taken out in silence.
/// - Jump: no packet may wait longer than the configured maximum; the fastest of the last two
///   seconds tells.
/// - While a resampler runs, it moves the stream with the sender's clock (`ClockRecovery`), and is
///   steered besides (`ratio(offset:)`); splices are left with what it would not do in some seconds.
/// - While the clocks slide against each other each packet sooner or later meets the beats at the
///   worst place, and the target is for that place; so it stays where it is.
struct PlayoutController {
  /// What to do about the offset.
  enum Correction {
    case none
    /// Repeat (above 0) or take out (below 0) so many frames; urgency as in `Splicer`.
    case splice(frames: Int, urgency: Float)
    /// Take out so many frames where it is quiet, and nowhere else.
    case trim(frames: Int)
    /// Leave out so many frames at once: the delay is above its bound.
    case jump(frames: Int)
  }

  static let reserveNanoseconds: Int64 = 100_000
  /// So much before they must packets come that have room.
  private static let roomNanoseconds: Int64 = 2_000_000
  /// The target stays so far below the bound that small shifts do not cross it.
  private static let boundReserveNanoseconds: Int64 = 1_000_000

  private let playoutDelay: PlayoutDelay
  private let maximumNanoseconds: Int64
  private var need: DelayNeed
  private var correcting = DelayCorrection()
  /// The clocks on both sides.
  private(set) var clocks = ClockRecovery()
  /// The device's beats, if known.
  private(set) var grid: PlayoutGrid?
  /// How much later than packets need themselves they are played, so that repairs come in time.
  var repairDelayNanoseconds: Int64 = 0 {
    didSet { if repairDelayNanoseconds != oldValue { placeTarget() } }
  }
  /// How much of that is needed no more.
  var spareNanoseconds: Int64 = 0
  /// How long sound takes after its decoding, before it can leave at the ports; set before arrivals
  /// are observed.
  var pathNanoseconds: Int64 = 0
  /// Whether a resampler follows `ratio(offset:)`, and knows the clocks.
  var isSteered = false
  /// The offset to aim at.
  private(set) var targetNanoseconds: Int64 = 0

  /// Steps of the path's delay so far.
  var stepCount: Int { need.stepCount }
  /// Jitter of the arrivals by RFC 3550 §A.8.
  var jitterNanoseconds: Int64 { need.jitterNanoseconds }
  /// Arrival less media time that a packet on its way seldom exceeds.
  var seldomTransitNanoseconds: Int64 { need.seldomTransitNanoseconds }
  /// How much later packets come by now because the sender's clock is the slower one.
  var wanderNanoseconds: Int64 { need.wanderNanoseconds }
  /// JACK's rate in hertz.
  var deviceRate: Int {
    get { clocks.deviceRate }
    set { clocks.deviceRate = newValue }
  }

  init(_ configuration: PeerStreamConfiguration) {
    playoutDelay = configuration.playoutDelay
    need = DelayNeed(
      lateShare: configuration.lateShare, isDelayFixed: configuration.playoutDelay != .auto)
    maximumNanoseconds = max(0, configuration.playoutDelayMaximumNanoseconds)
  }

  /// All packets come, but some are held up: no more than `lateShare` of them are to be too late, over seconds.
  mutating func expectHoldUps(lateShare: Double) { need.expectHoldUps(lateShare: lateShare) }

  /// Another stream or time line begins; how much the link jitters stays known.
  mutating func restart() {
    need.restart()
    clocks.restartSender()
    settle()
  }

  /// The stream starts to play or stops: nothing is being corrected.
  mutating func settle() { correcting.settle() }

  /// Takes the device's coming beat.
  ///
  /// Beats that moved by more than a quarter period (an xrun, another device) change what past
  /// arrivals required.
  mutating func setGrid(_ new: PlayoutGrid?) {
    defer { grid = new }
    clocks.observe(new)
    guard let new, let old = grid else { return }
    guard
      new.periodNanoseconds != old.periodNanoseconds
        || new.leadNanoseconds != old.leadNanoseconds
        || 4 * old.displacement(of: new) > old.periodNanoseconds
    else { return }
    need.realign(new, isSliding: clocks.isSliding)
  }

  /// Takes a packet's arrival.
  ///
  /// `isLate`: its frames have been concealed already.
  mutating func observe(
    arrivalNanoseconds: Int64, mediaNanoseconds: Int64, durationNanoseconds: Int64, isLate: Bool
  ) {
    need.advance(to: arrivalNanoseconds, slope: clocks.arrivalSlope)
    need.followDuration(durationNanoseconds)
    let wasSliding = clocks.isSliding
    clocks.observe(
      arrivalNanoseconds: arrivalNanoseconds,
      mediaNanoseconds: mediaNanoseconds + durationNanoseconds)
    let isSliding = clocks.isSliding
    if isSliding != wasSliding, let grid { need.realign(grid, isSliding: isSliding) }
    need.observe(
      arrivalNanoseconds: arrivalNanoseconds, mediaNanoseconds: mediaNanoseconds, isLate: isLate,
      beats: DelayNeed.Beats(grid: grid, isSliding: isSliding, slope: clocks.arrivalSlope))
    placeTarget()
  }

  /// Playout time minus due of a render: how far ahead of their sound frames are rendered.
  mutating func observe(leadNanoseconds: Int64) {
    need.observe(leadNanoseconds: leadNanoseconds)
  }

  /// The offset at which the fastest packets wait as long as is allowed.
  var boundNanoseconds: Int64 { need.summary.leastTransitNanoseconds + maximumNanoseconds }

  /// How much later than it should be `offset` is; below 0: earlier.
  func surplusNanoseconds(offset: Int64) -> Int64 { offset - targetNanoseconds }

  /// Whether playing at `offset` makes packets late.
  ///
  /// One now and then does not count: a splice can wait for a good place then.
  func wantsMore(offset: Int64) -> Bool {
    surplusNanoseconds(offset: offset) + need.rareShareNanoseconds < -Self.reserveNanoseconds
  }

  /// Whether playing at `offset` leaves time for `pathNanoseconds`.
  func hasRoom(offset: Int64) -> Bool {
    guard pathNanoseconds > 0 else { return false }
    return surplusNanoseconds(offset: offset) >= -Self.reserveNanoseconds / 2
      || isRoomy(offset: offset)
  }

  /// Whether the delay is one that was chosen, and packets come in time without all of it:
  /// then it is not held to the microsecond.
  private func isRoomy(offset: Int64) -> Bool {
    playoutDelay != .auto
      && offset - pathNanoseconds - Self.roomNanoseconds >= need.requiredNanoseconds
  }

  private mutating func placeTarget() {
    targetNanoseconds = target(repairDelay: repairDelayNanoseconds)
  }

  private func target(repairDelay: Int64) -> Int64 {
    let bound = boundNanoseconds - min(Self.boundReserveNanoseconds, maximumNanoseconds / 8)
    let wanted =
      switch playoutDelay {
      case .fixed(let delay): need.usualTransitNanoseconds + delay
      case .auto:
        Self.reserveNanoseconds
          + pathNanoseconds
          + max(
            need.requiredNanoseconds,
            need.middlingNanoseconds(grid: grid) + repairDelay)
      }
    return min(wanted, bound)
  }

  /// What to do, when the next frame would play at `offset`.
  mutating func correction(offset: Int64, nowNanoseconds now: Int64) -> Correction {
    let surplus = surplusNanoseconds(offset: offset)
    if offset > boundNanoseconds && surplus > 0 {
      return .jump(frames: DelayCorrection.frames(surplus))
    }
    correcting.judge(
      surplus,
      by: DelayCorrection.Limits(
        wander: playoutDelay == .auto && !need.isByHabit ? need.wanderingNanoseconds : 0,
        spread: need.summary.spreadNanoseconds,
        isSteered: isSteered, isRoomy: isRoomy(offset: offset)),
      now: now)
    switch correcting.state {
    case .settled:
      let lowest = target(repairDelay: repairDelayNanoseconds - spareNanoseconds)
      return DelayCorrection.trim(targetNanoseconds - lowest)
    case .down: return correcting.shorten(surplus, isByHabit: need.isByHabit, now: now)
    case .up:
      return correcting.lengthen(surplus, reason: reason(toLengthenFrom: offset), now: now)
    }
  }

  private func reason(toLengthenFrom offset: Int64) -> DelayCorrection.Reason {
    // Where packets themselves are in time, a good place is worth some time.
    let isInTime =
      playoutDelay == .auto
      && offset >= need.requiredNanoseconds - need.rareShareNanoseconds + Self.reserveNanoseconds
    guard isInTime || need.isByHabit else { return .packetsLate }
    let isForRepairs = offset >= target(repairDelay: 0)
    return isForRepairs || need.isByHabit ? .repairsLate : .resamplerWithoutRoom
  }

  /// Device frames to be made of a frame at 48 kHz that plays at `offset`.
  func ratio(offset: Int64) -> Double {
    let nominal = Double(deviceRate) / Double(MediaClock.framesPerSecond)
    let steering = DelaySteering.steering(surplusNanoseconds: surplusNanoseconds(offset: offset))
    return nominal * clocks.ratio * (1 - steering)
  }
}
