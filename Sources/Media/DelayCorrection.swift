/// Leads a stream that plays too late or too early to its target; see `PlayoutController` for states and constants.
struct DelayCorrection {
  enum State { case settled, down, up }

  /// Why a stream must play later.
  enum Reason {
    case packetsLate, repairsLate, resamplerWithoutRoom
  }

  /// What tells how far off is too far.
  struct Limits {
    /// By how much jitter makes the target wander.
    var wander: Int64
    /// How much the delays of packets differ.
    var spread: Int64
    /// Whether a resampler leads the stream as well.
    var isSteered: Bool
    /// Whether packets come in time without all of a delay that was chosen.
    var isRoomy: Bool
  }

  private static let surplusNanoseconds: Int64 = 750_000
  private static let lastingSurplusNanoseconds: Int64 = 250_000
  private static let lastingNanoseconds: Int64 = 5_000_000_000
  /// Or so many times what jitter makes the target wander by.
  private static let (wandersPerSurplus, wandersPerLastingSurplus): (Int64, Int64) = (10, 5)
  private static let downPatienceNanoseconds: Float = 700_000_000
  private static let upPatienceNanoseconds: Float = 100_000_000
  private static let habitPatienceNanoseconds: Float = 1_500_000_000
  /// What can wait waits so long for silence, unless more than so much is missing.
  private static let silenceNanoseconds: Int64 = 3_000_000_000
  private static let urgentDeficitNanoseconds: Int64 = 25_000_000
  /// With a resampler: what it would take out in more than some seconds, unless jitter lets the target
  /// wander half as much, and what is too late to wait for.
  private static let steeredSurplusNanoseconds: Int64 = 1_000_000
  private static let steeredDeficitNanoseconds: Int64 = 500_000
  /// Of a delay with room to spare, which a resampler makes up for unless it is a period.
  private static let roomyDeficitNanoseconds: Int64 = 1_000_000

  private(set) var state = State.settled
  private var stateSinceNanoseconds: Int64 = 0
  private var lastingSinceNanoseconds: Int64?

  /// Nothing is being corrected.
  mutating func settle() {
    state = .settled
    lastingSinceNanoseconds = nil
  }

  /// Takes how much later than it should the next frame plays; below 0: earlier.
  mutating func judge(_ surplus: Int64, by limits: Limits, now: Int64) {
    let lasting = Self.wandersPerLastingSurplus * limits.wander
    if surplus < max(Self.lastingSurplusNanoseconds, lasting) {
      lastingSinceNanoseconds = nil
    } else if lastingSinceNanoseconds == nil {
      lastingSinceNanoseconds = now
    }
    let hasLasted = lastingSinceNanoseconds.map { now - $0 > Self.lastingNanoseconds } ?? false
    let reserve = PlayoutController.reserveNanoseconds
    let deficit =
      if limits.isRoomy {
        Self.roomyDeficitNanoseconds
      } else {
        limits.isSteered ? Self.steeredDeficitNanoseconds : reserve / 2
      }
    let steered = max(Self.steeredSurplusNanoseconds, limits.spread / 2)
    let unsteered = max(Self.surplusNanoseconds, Self.wandersPerSurplus * limits.wander)
    let excess = limits.isSteered ? steered : unsteered
    if surplus < -deficit {
      enter(.up, now: now)
    } else if surplus > excess || hasLasted && !limits.isSteered {
      enter(.down, now: now)
    } else if state == .up && surplus >= 0 || state == .down && surplus < reserve {
      enter(.settled, now: now)
    }
  }

  private mutating func enter(_ new: State, now: Int64) {
    guard new != state else { return }
    state = new
    stateSinceNanoseconds = now
  }

  /// What to do about delay that repairs no longer need.
  static func trim(_ excess: Int64) -> PlayoutController.Correction {
    excess > surplusNanoseconds ? .trim(frames: frames(excess)) : .none
  }

  /// What to do in state down.
  func shorten(_ surplus: Int64, isByHabit: Bool, now: Int64) -> PlayoutController.Correction {
    isByHabit
      ? spliceInSilence(surplus, now: now)
      : splice(surplus, patience: Self.downPatienceNanoseconds, now: now)
  }

  /// What to do in state up.
  func lengthen(_ surplus: Int64, reason: Reason, now: Int64) -> PlayoutController.Correction {
    switch reason {
    case .packetsLate: splice(surplus, patience: Self.upPatienceNanoseconds, now: now)
    case .repairsLate: spliceInSilence(surplus, now: now)
    case .resamplerWithoutRoom:
      splice(surplus, patience: Self.habitPatienceNanoseconds, now: now)
    }
  }

  private func splice(
    _ surplus: Int64, patience: Float, now: Int64
  ) -> PlayoutController.Correction {
    .splice(
      frames: -Self.frames(surplus), urgency: Float(now - stateSinceNanoseconds) / patience)
  }

  /// A rate of late packets, or of repairs that are, bears some seconds better than speech bears a splice.
  private func spliceInSilence(_ surplus: Int64, now: Int64) -> PlayoutController.Correction {
    guard surplus > -Self.urgentDeficitNanoseconds else {
      return splice(surplus, patience: Self.habitPatienceNanoseconds, now: now)
    }
    let waited = now - stateSinceNanoseconds - Self.silenceNanoseconds
    return .splice(
      frames: -Self.frames(surplus),
      urgency: waited < 0
        ? Splicer.onlyInSilence : Float(waited) / Self.habitPatienceNanoseconds)
  }

  /// Rounded away from too little delay.
  static func frames(_ nanoseconds: Int64) -> Int {
    let frames = Int(MediaClock.frames(nanoseconds: abs(nanoseconds)))
    return nanoseconds < 0 ? -(frames + 1) : frames
  }
}

/// How a resampler leads a stream to its target, a little faster or slower than the clocks say.
enum DelaySteering {
  /// Between these the target only wanders, and the stream is led to it slowly.
  private static let calmRange: ClosedRange<Int64> = -50_000...250_000
  /// 250 microseconds off: 4 ppm.
  private static let calmNanoseconds = 60e9
  /// Up in half a second, before packets are late; down in two.
  private static let upNanoseconds = 0.5e9
  private static let downNanoseconds = 2e9
  /// A cent is 580 ppm, and nobody hears less than five.
  private static let greatestSteering = 1e-3

  /// By how much more than the sender's clock says the stream is to get ahead.
  static func steering(surplusNanoseconds surplus: Int64) -> Double {
    let calm = min(max(surplus, calmRange.lowerBound), calmRange.upperBound)
    let firm = surplus < 0 ? upNanoseconds : downNanoseconds
    let steering = Double(calm) / calmNanoseconds + Double(surplus - calm) / firm
    return min(max(steering, -greatestSteering), greatestSteering)
  }
}
