/// How much delay packets need to be in time, told from their arrivals.
///
/// Events: an arrival (`advance`, `followDuration`, `observe`, in this order), a beat that moved (`realign`), a render
/// (`observe(leadNanoseconds:)`).
/// What is required: the last two seconds on a calm link (`ArrivalWindow`), the last twelve on one that varies
/// (`ArrivalHistory`), and what the worst of two minutes needed besides (`RareLateness`); all move along with a
/// step of the path's delay (`DelayStep`).
struct DelayNeed {
  /// What is known of the device's beats and both clocks as a packet comes.
  struct Beats {
    var grid: PlayoutGrid?
    /// Whether the clocks slide against each other.
    var isSliding: Bool
    /// `ClockRecovery.arrivalSlope`.
    var slope: Double
  }

  /// Between two looks at the window, unless something is late.
  private static let refreshNanoseconds: Int64 = 20_000_000
  /// A packet is overdue when it is later than the mean by so much, and by so many times the jitter.
  private static let (leastOverdueNanoseconds, overdueJitters): (Int64, Int64) = (3_000_000, 4)
  /// Two periods of 64 frames and 1 ms.
  private static let calmSpreadNanoseconds: Int64 = 4_000_000
  /// Older arrivals say nothing: two clocks 100 ppm apart move 0.1 ms in the time.
  private static let staleNanoseconds: Int64 = 1_000_000_000

  private let isDelayFixed: Bool
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
  private var wandering = TargetWander()
  private(set) var summary = ArrivalWindow.Summary()
  private var summarisedNanoseconds = Int64.min
  /// Arrival less media time, where the playout delay is fixed.
  private(set) var usualTransitNanoseconds: Int64 = 0
  private(set) var requiredNanoseconds: Int64 = 0
  /// How much of that is for single packets that are late now and then.
  private(set) var rareShareNanoseconds: Int64 = 0
  /// What is required is a matter of the rate of late packets over seconds.
  private(set) var isByHabit = false
  private var observedLeadNanoseconds: Int64 = 0
  /// What packets lasted up to now; 0 before the first.
  private var durationNanoseconds: Int64 = 0
  private var jitter = InterarrivalJitter()
  private var wander = 0.0

  /// Jitter of the arrivals by RFC 3550 §A.8.
  var jitterNanoseconds: Int64 { jitter.nanoseconds }
  /// By how much jitter makes the need of two seconds wander.
  var wanderingNanoseconds: Int64 { wandering.nanoseconds }
  /// How much later packets come by now because the sender's clock is the slower one.
  var wanderNanoseconds: Int64 { Int64(wander) }
  /// Arrival less media time that a packet on its way seldom exceeds.
  ///
  /// A quarter of a packet besides: what comes too soon is asked for in vain, most of all on a way that is full.
  var seldomTransitNanoseconds: Int64 {
    summary.meanTransitNanoseconds
      + max(
        Self.leastOverdueNanoseconds, Self.overdueJitters * jitterNanoseconds,
        durationNanoseconds / 4)
  }

  init(lateShare: Double, isDelayFixed: Bool) {
    self.isDelayFixed = isDelayFixed
    window = ArrivalWindow(lateShare: lateShare)
    history = ArrivalHistory(lateShare: lateShare)
    heldTransits.reserveCapacity(DelayStep.mostHeld)
  }

  /// All packets come, but some are held up: no more than `lateShare` of them are to be too late, over seconds.
  mutating func expectHoldUps(lateShare: Double) {
    window.expectHoldUps(lateShare: lateShare)
    history.expectHoldUps(lateShare: lateShare)
  }

  /// Another stream or time line begins; how much the link jitters stays known.
  mutating func restart() {
    forgetArrivals()
    wandering.restart()
    jitter.restart()
  }

  private mutating func forgetArrivals() {
    window.clear()
    history.clear()
    step.restart()
    rare.interrupt()
    usualRequiredNanoseconds = nil
    heldTransits.removeAll(keepingCapacity: true)
  }

  /// Beats that moved change what past arrivals required.
  mutating func realign(_ grid: PlayoutGrid, isSliding: Bool) {
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

  /// Time goes on to a packet's arrival, by clocks that differ by `slope`.
  mutating func advance(to arrivalNanoseconds: Int64, slope: Double) {
    guard let newest = window.newestNanoseconds else { return }
    let elapsed = arrivalNanoseconds - newest
    wander += slope * Double(max(0, elapsed))
    if elapsed > Self.staleNanoseconds { forgetArrivals() }
  }

  /// A packet is complete when its last frame is captured: its arrival less the media time of its first grows with it.
  mutating func followDuration(_ duration: Int64) {
    defer { durationNanoseconds = duration }
    guard durationNanoseconds > 0, duration != durationNanoseconds else { return }
    window.delay(byNanoseconds: duration - durationNanoseconds)
    history.delay(byNanoseconds: duration - durationNanoseconds)
    step.restart()
    summarisedNanoseconds = .min
  }

  /// Takes a packet's arrival; `isLate`: its frames have been concealed already.
  mutating func observe(
    arrivalNanoseconds: Int64, mediaNanoseconds: Int64, isLate: Bool, beats: Beats
  ) {
    let usable =
      beats.grid.map { Self.usable(arrivalNanoseconds, $0, isSliding: beats.isSliding) }
      ?? arrivalNanoseconds + ArrivalWindow.marginNanoseconds + observedLeadNanoseconds
    window.add(
      at: arrivalNanoseconds, mediaNanoseconds: mediaNanoseconds, usableNanoseconds: usable)
    if !isCalm(beats) {
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
      summarise(at: arrivalNanoseconds, beats)
    }
    require(beats)
  }

  private mutating func summarise(at now: Int64, _ beats: Beats) {
    summary = window.summarise(
      periodNanoseconds: beats.grid?.periodNanoseconds ?? 0, slope: beats.slope)
    if isDelayFixed {
      usualTransitNanoseconds = window.usualTransitNanoseconds(slope: beats.slope)
    }
    wandering.add(summary.requiredNanoseconds - wanderNanoseconds, at: now)
    summarisedNanoseconds = now
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

  /// Playout time minus due of a render: how far ahead of their sound frames are rendered.
  ///
  /// Used while no grid is known; the greatest counts and fades slowly.
  mutating func observe(leadNanoseconds: Int64) {
    observedLeadNanoseconds = max(
      leadNanoseconds, observedLeadNanoseconds - observedLeadNanoseconds / 8192)
  }

  private mutating func require(_ beats: Beats) {
    let proven = window.provenOffset(durationNanoseconds: durationNanoseconds)
    let habitual = habitualNanoseconds(beats.grid)
    usualRequiredNanoseconds = window.count < ArrivalWindow.tellingCount ? nil : habitual
    let needed = max(habitual, proven ?? .min)
    requiredNanoseconds = max(habitual + rareNanoseconds(beats), needed)
    rareShareNanoseconds = requiredNanoseconds - needed
    isByHabit = history.isVaried && requiredNanoseconds == habitual
  }

  /// What packets need by habit: of the last two seconds on a calm link, where a stall of 12 s ago does not count and
  /// one of just now only as far as it is no exception; else what keeps the wanted rate of late packets.
  private func habitualNanoseconds(_ grid: PlayoutGrid?) -> Int64 {
    guard let transit = history.transitNanoseconds else { return summary.requiredNanoseconds }
    let needed = transit + wanderNanoseconds + mostWaitNanoseconds(grid)
    return history.isVaried ? needed : min(summary.requiredNanoseconds, needed)
  }

  /// What single packets need besides, on a link that is calm: where delays vary by more than periods on both sides
  /// make them, as many are late as are wanted.
  private func rareNanoseconds(_ beats: Beats) -> Int64 { isCalm(beats) ? rare.nanoseconds : 0 }

  private func isCalm(_ beats: Beats) -> Bool {
    let calm = max(Self.calmSpreadNanoseconds, 2 * (beats.grid?.periodNanoseconds ?? 0))
    return !history.isVaried && summary.spreadNanoseconds <= calm
  }

  /// What a packet needs besides its transit, wherever between two beats it comes.
  private func mostWaitNanoseconds(_ grid: PlayoutGrid?) -> Int64 {
    ArrivalWindow.marginNanoseconds
      + (grid.map { $0.leadNanoseconds + $0.periodNanoseconds } ?? observedLeadNanoseconds)
  }

  /// Repairs come as fast as most packets do, and need not wait for the slowest besides.
  func middlingNanoseconds(grid: PlayoutGrid?) -> Int64 {
    guard history.isVaried else { return requiredNanoseconds }
    return min(
      requiredNanoseconds,
      history.typicalTransitNanoseconds + wanderNanoseconds + mostWaitNanoseconds(grid))
  }
}
