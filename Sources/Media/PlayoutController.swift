/// Decides how late a stream plays: a target for its offset (see `ArrivalWindow`), and what to do
/// about the difference.
///
/// States: settled; correcting down (surplus), up (deficit). Events: an arrival, a render.
/// - Down: a surplus above 0.75 ms, or above 0.25 ms for 5 s, is taken out until less than 0.1 ms
///   is left. 0.75 ms is below the 1.33 ms by which an xrun at 64 frames shifts the stream, and
///   above what the window's 99 % point wanders on a calm link. Splices wait for a good match up
///   to 0.7 s, so that a shift is gone within a second. Where jitter makes that point wander by more
///   (`TargetWander`), who follows it down is too low when it comes back: there the limits are ten and five
///   times that. Else not 0.5 % but up to 0.8 % are late, and splices are several times as many.
/// - While clocks do not slide, on a calm link, single packets that are late, too, are heard: what the worst of two
///   minutes needed is added, up to 2 ms (`RareLateness`).
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

  enum State { case settled, down, up }

  static let reserveNanoseconds: Int64 = 100_000
  /// So much before they must packets come that have room.
  private static let roomNanoseconds: Int64 = 2_000_000
  /// Between two looks at the window, unless something is late.
  private static let refreshNanoseconds: Int64 = 20_000_000
  /// The target stays so far below the bound that small shifts do not cross it.
  private static let boundReserveNanoseconds: Int64 = 1_000_000
  /// A packet is overdue when it is later than the mean by so much, and by so many times the jitter.
  private static let (leastOverdueNanoseconds, overdueJitters): (Int64, Int64) = (3_000_000, 4)
  /// Two periods of 64 frames and 1 ms.
  private static let calmSpreadNanoseconds: Int64 = 4_000_000
  /// Older arrivals say nothing: two clocks 100 ppm apart move 0.1 ms in the time.
  private static let staleNanoseconds: Int64 = 1_000_000_000

  let playoutDelay: PlayoutDelay
  private let maximumNanoseconds: Int64
  private var window: ArrivalWindow
  private var history: ArrivalHistory
  private var step = DelayStep()
  /// Steps of the path's delay so far.
  private(set) var stepCount = 0
  private var rare = RareLateness()
  /// What suffices as a rule, without what is rare; nil: not known yet.
  private var usualRequiredNanoseconds: Int64?
  /// Transits of packets that may be the beginning of a step, which the history is told of when that is known.
  private var heldTransits: [Int64] = []
  var wandering = TargetWander()
  var summary = ArrivalWindow.Summary()
  private var summarisedNanoseconds = Int64.min
  /// Arrival less media time, where the playout delay is fixed.
  private var usualTransitNanoseconds: Int64 = 0
  var requiredNanoseconds: Int64 = 0
  /// How much of that is for single packets that are late now and then.
  private(set) var rareShareNanoseconds: Int64 = 0
  /// What is required is a matter of the rate of late packets over seconds.
  var isByHabit = false
  private var observedLeadNanoseconds: Int64 = 0
  var state = State.settled
  var stateSinceNanoseconds: Int64 = 0
  var lastingSinceNanoseconds: Int64?
  /// What packets lasted up to now; 0 before the first.
  private var durationNanoseconds: Int64 = 0
  private var jitter = InterarrivalJitter()
  private var wander = 0.0

  /// Jitter of the arrivals by RFC 3550 §A.8.
  var jitterNanoseconds: Int64 { jitter.nanoseconds }
  /// Arrival less media time that a packet on its way seldom exceeds.
  ///
  /// A quarter of a packet besides: what comes too soon is asked for in vain, most of all on a way that is full.
  var seldomTransitNanoseconds: Int64 {
    summary.meanTransitNanoseconds
      + max(
        Self.leastOverdueNanoseconds, Self.overdueJitters * jitterNanoseconds,
        durationNanoseconds / 4)
  }
  /// The clocks on both sides.
  private(set) var clocks = ClockRecovery()
  /// How much later packets come by now because the sender's clock is the slower one.
  var wanderNanoseconds: Int64 { Int64(wander) }
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
  /// JACK's rate in hertz.
  var deviceRate: Int {
    get { clocks.deviceRate }
    set { clocks.deviceRate = newValue }
  }
  /// The offset to aim at.
  private(set) var targetNanoseconds: Int64 = 0

  init(_ configuration: PeerStreamConfiguration) {
    playoutDelay = configuration.playoutDelay
    window = ArrivalWindow(lateShare: configuration.lateShare)
    history = ArrivalHistory(lateShare: configuration.lateShare)
    heldTransits.reserveCapacity(DelayStep.mostHeld)
    maximumNanoseconds = max(0, configuration.playoutDelayMaximumNanoseconds)
  }

  /// Another stream or time line begins; how much the link jitters stays known.
  mutating func restart() {
    forgetArrivals()
    wandering.restart()
    jitter.restart()
    clocks.restartSender()
    settle()
  }

  private mutating func forgetArrivals() {
    window.clear()
    history.clear()
    step.restart()
    rare.interrupt()
    usualRequiredNanoseconds = nil
    heldTransits.removeAll(keepingCapacity: true)
  }

  /// The stream starts to play or stops: nothing is being corrected.
  mutating func settle() {
    state = .settled
    lastingSinceNanoseconds = nil
  }

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
    realign(new)
  }

  private mutating func realign(_ grid: PlayoutGrid) {
    let isSliding = clocks.isSliding
    window.realign { Self.usable($0, grid, isSliding: isSliding) }
    rare.interrupt()
    usualRequiredNanoseconds = nil
    summarisedNanoseconds = .min
  }

  /// The playout time from which on a packet can be used.
  private static func usable(_ arrival: Int64, _ grid: PlayoutGrid, isSliding: Bool) -> Int64 {
    let wanted = arrival + ArrivalWindow.marginNanoseconds
    guard isSliding else { return grid.firstBeat(forArrival: wanted) }
    return wanted + grid.leadNanoseconds + grid.periodNanoseconds
  }

  /// Takes a packet's arrival.
  ///
  /// `isLate`: its frames have been concealed already.
  mutating func observe(
    arrivalNanoseconds: Int64, mediaNanoseconds: Int64, durationNanoseconds: Int64, isLate: Bool
  ) {
    if let newest = window.newestNanoseconds {
      let elapsed = arrivalNanoseconds - newest
      wander += clocks.arrivalSlope * Double(max(0, elapsed))
      if elapsed > Self.staleNanoseconds { forgetArrivals() }
    }
    followDuration(durationNanoseconds)
    let wasSliding = clocks.isSliding
    clocks.observe(
      arrivalNanoseconds: arrivalNanoseconds,
      mediaNanoseconds: mediaNanoseconds + durationNanoseconds)
    let isSliding = clocks.isSliding
    if isSliding != wasSliding, let grid { realign(grid) }
    let usable =
      grid.map { Self.usable(arrivalNanoseconds, $0, isSliding: isSliding) }
      ?? arrivalNanoseconds + ArrivalWindow.marginNanoseconds + observedLeadNanoseconds
    window.add(
      at: arrivalNanoseconds, mediaNanoseconds: mediaNanoseconds, usableNanoseconds: usable)
    if !isCalm {
      rare.forgetRecent()
    } else if let usual = usualRequiredNanoseconds {
      rare.add(usable - mediaNanoseconds, usual: usual, at: arrivalNanoseconds)
    }
    jitter.add(transitNanoseconds: arrivalNanoseconds - mediaNanoseconds)
    followSteps(arrivalNanoseconds: arrivalNanoseconds, mediaNanoseconds: mediaNanoseconds)
    let isDue =
      summarisedNanoseconds == .min
      || arrivalNanoseconds - summarisedNanoseconds >= Self.refreshNanoseconds
    if isLate || isDue || window.count < ArrivalWindow.tellingCount {
      summary = window.summarise(
        periodNanoseconds: grid?.periodNanoseconds ?? 0, slope: clocks.arrivalSlope)
      if playoutDelay != .auto {
        usualTransitNanoseconds = window.usualTransitNanoseconds(slope: clocks.arrivalSlope)
      }
      wandering.add(summary.requiredNanoseconds - wanderNanoseconds, at: arrivalNanoseconds)
      summarisedNanoseconds = arrivalNanoseconds
    }
    aim(durationNanoseconds: durationNanoseconds)
  }

  /// Keeps what is known of the delays' variation where the delay itself makes a step, and counts the arrival.
  private mutating func followSteps(
    arrivalNanoseconds arrival: Int64, mediaNanoseconds media: Int64
  ) {
    let isKnown = summarisedNanoseconds != .min && window.count > 1
    let least = isKnown ? summary.leastTransitNanoseconds : arrival - media
    let usual = least + (isKnown ? summary.spreadNanoseconds : 0)
    let verdict = step.add(
      arrivalNanoseconds: arrival, mediaNanoseconds: media, least: least,
      most: max(usual, history.transitNanoseconds.map { $0 + wanderNanoseconds } ?? usual))
    heldTransits.append(arrival - media - wanderNanoseconds)
    if step.isRising { return }
    switch verdict {
    case .nothing: break
    case .up(let nanoseconds, let count):
      stepCount += 1
      window.delay(byNanoseconds: nanoseconds, sparing: count)
      history.delay(byNanoseconds: nanoseconds)
      summarisedNanoseconds = .min
    case .down(let count):
      stepCount += 1
      window.keep(newest: count)
      history.clear()
      summarisedNanoseconds = .min
    }
    for transit in heldTransits { history.add(transitNanoseconds: transit, at: arrival) }
    heldTransits.removeAll(keepingCapacity: true)
  }

  /// A packet is complete when its last frame is captured: its arrival less the media time of its first grows with it.
  private mutating func followDuration(_ duration: Int64) {
    defer { durationNanoseconds = duration }
    guard durationNanoseconds > 0, duration != durationNanoseconds else { return }
    window.delay(byNanoseconds: duration - durationNanoseconds)
    history.delay(byNanoseconds: duration - durationNanoseconds)
    step.restart()
    summarisedNanoseconds = .min
  }

  /// Playout time minus due of a render: how far ahead of their sound frames are rendered.
  ///
  /// Used while no grid is known; the greatest counts and fades slowly.
  mutating func observe(leadNanoseconds: Int64) {
    observedLeadNanoseconds = max(
      leadNanoseconds, observedLeadNanoseconds - observedLeadNanoseconds / 8192)
  }

  /// The offset at which the fastest packets wait as long as is allowed.
  var boundNanoseconds: Int64 { summary.leastTransitNanoseconds + maximumNanoseconds }

  /// How much later than it should be `offset` is; below 0: earlier.
  func surplusNanoseconds(offset: Int64) -> Int64 { offset - targetNanoseconds }

  /// Whether playing at `offset` makes packets late.
  ///
  /// One now and then does not count: a splice can wait for a good place then.
  func wantsMore(offset: Int64) -> Bool {
    surplusNanoseconds(offset: offset) + rareShareNanoseconds < -Self.reserveNanoseconds
  }

  /// Whether playing at `offset` leaves time for `pathNanoseconds`.
  func hasRoom(offset: Int64) -> Bool {
    guard pathNanoseconds > 0 else { return false }
    return surplusNanoseconds(offset: offset) >= -Self.reserveNanoseconds / 2
      || isRoomy(offset: offset)
  }

  /// Whether the delay is one that was chosen, and packets come in time without all of it:
  /// then it is not held to the microsecond.
  func isRoomy(offset: Int64) -> Bool {
    playoutDelay != .auto
      && offset - pathNanoseconds - Self.roomNanoseconds >= requiredNanoseconds
  }

  private mutating func aim(durationNanoseconds: Int64) {
    let proven = window.provenOffset(durationNanoseconds: durationNanoseconds)
    let habitual = habitualNanoseconds
    usualRequiredNanoseconds = window.count < ArrivalWindow.tellingCount ? nil : habitual
    let needed = max(habitual, proven ?? .min)
    requiredNanoseconds = max(habitual + rareNanoseconds, needed)
    rareShareNanoseconds = requiredNanoseconds - needed
    isByHabit = history.isVaried && requiredNanoseconds == habitual
    placeTarget()
  }

  /// What packets need by habit: of the last two seconds on a calm link, where a stall of 12 s ago does not count and
  /// one of just now only as far as it is no exception; else what keeps the wanted rate of late packets.
  private var habitualNanoseconds: Int64 {
    guard let transit = history.transitNanoseconds else { return summary.requiredNanoseconds }
    let needed = transit + wanderNanoseconds + mostWaitNanoseconds
    return history.isVaried ? needed : min(summary.requiredNanoseconds, needed)
  }

  /// What single packets need besides, on a link that is calm: where delays vary by more than periods on both sides
  /// make them, as many are late as are wanted.
  private var rareNanoseconds: Int64 { isCalm ? rare.nanoseconds : 0 }

  private var isCalm: Bool {
    let calm = max(Self.calmSpreadNanoseconds, 2 * (grid?.periodNanoseconds ?? 0))
    return !clocks.isSliding && !history.isVaried && summary.spreadNanoseconds <= calm
  }

  /// What a packet needs besides its transit, wherever between two beats it comes.
  private var mostWaitNanoseconds: Int64 {
    ArrivalWindow.marginNanoseconds
      + (grid.map { $0.leadNanoseconds + $0.periodNanoseconds } ?? observedLeadNanoseconds)
  }

  private mutating func placeTarget() {
    targetNanoseconds = target(repairDelay: repairDelayNanoseconds)
  }

  func target(repairDelay: Int64) -> Int64 {
    let bound = boundNanoseconds - min(Self.boundReserveNanoseconds, maximumNanoseconds / 8)
    let wanted =
      switch playoutDelay {
      case .fixed(let delay): usualTransitNanoseconds + delay
      case .auto:
        Self.reserveNanoseconds
          + pathNanoseconds + max(requiredNanoseconds, middlingNanoseconds + repairDelay)
      }
    return min(wanted, bound)
  }

  /// Repairs come as fast as most packets do, and need not wait for the slowest besides.
  private var middlingNanoseconds: Int64 {
    guard history.isVaried else { return requiredNanoseconds }
    return min(
      requiredNanoseconds,
      history.typicalTransitNanoseconds + wanderNanoseconds + mostWaitNanoseconds)
  }
}
