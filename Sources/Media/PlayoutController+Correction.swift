/// What is done about a stream that plays too late or too early.
extension PlayoutController {
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

  /// What to do, when the next frame would play at `offset`.
  mutating func correction(offset: Int64, nowNanoseconds now: Int64) -> Correction {
    let surplus = surplusNanoseconds(offset: offset)
    if offset > boundNanoseconds && surplus > 0 {
      return .jump(frames: Self.frames(surplus))
    }
    judge(surplus, isRoomy: isRoomy(offset: offset), now: now)
    switch state {
    case .settled:
      let lowest = target(repairDelay: repairDelayNanoseconds - spareNanoseconds)
      let excess = targetNanoseconds - lowest
      return excess > Self.surplusNanoseconds ? .trim(frames: Self.frames(excess)) : .none
    case .down:
      return isByHabit
        ? spliceInSilence(surplus, now: now)
        : splice(surplus, patience: Self.downPatienceNanoseconds, now: now)
    case .up: return lengthen(by: surplus, from: offset, now: now)
    }
  }

  private func lengthen(by surplus: Int64, from offset: Int64, now: Int64) -> Correction {
    // Where packets themselves are in time, a good place is worth some time.
    let isInTime =
      playoutDelay == .auto
      && offset >= requiredNanoseconds - rareShareNanoseconds + Self.reserveNanoseconds
    guard isInTime || isByHabit else {
      return splice(surplus, patience: Self.upPatienceNanoseconds, now: now)
    }
    let isForRepairs = offset >= target(repairDelay: 0)
    return isForRepairs || isByHabit
      ? spliceInSilence(surplus, now: now)
      : splice(surplus, patience: Self.habitPatienceNanoseconds, now: now)
  }

  private mutating func judge(_ surplus: Int64, isRoomy: Bool, now: Int64) {
    let wander = playoutDelay == .auto && !isByHabit ? wandering.nanoseconds : 0
    if surplus < max(Self.lastingSurplusNanoseconds, Self.wandersPerLastingSurplus * wander) {
      lastingSinceNanoseconds = nil
    } else if lastingSinceNanoseconds == nil {
      lastingSinceNanoseconds = now
    }
    let hasLasted = lastingSinceNanoseconds.map { now - $0 > Self.lastingNanoseconds } ?? false
    let deficit =
      if isRoomy {
        Self.roomyDeficitNanoseconds
      } else {
        isSteered ? Self.steeredDeficitNanoseconds : Self.reserveNanoseconds / 2
      }
    let steered = max(Self.steeredSurplusNanoseconds, summary.spreadNanoseconds / 2)
    let unsteered = max(Self.surplusNanoseconds, Self.wandersPerSurplus * wander)
    let excess = isSteered ? steered : unsteered
    if surplus < -deficit {
      enter(.up, now: now)
    } else if surplus > excess || hasLasted && !isSteered {
      enter(.down, now: now)
    } else if state == .up && surplus >= 0
      || state == .down && surplus < Self.reserveNanoseconds
    {
      enter(.settled, now: now)
    }
  }

  private mutating func enter(_ new: State, now: Int64) {
    guard new != state else { return }
    state = new
    stateSinceNanoseconds = now
  }

  private func splice(_ surplus: Int64, patience: Float, now: Int64) -> Correction {
    .splice(
      frames: -Self.frames(surplus), urgency: Float(now - stateSinceNanoseconds) / patience)
  }

  /// A rate of late packets, or of repairs that are, bears some seconds better than speech bears a splice.
  private func spliceInSilence(_ surplus: Int64, now: Int64) -> Correction {
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
  private static func frames(_ nanoseconds: Int64) -> Int {
    let frames = Int(MediaClock.frames(nanoseconds: abs(nanoseconds)))
    return nanoseconds < 0 ? -(frames + 1) : frames
  }
}

extension PlayoutController {
  /// Between these the target only wanders, and the stream is led to it slowly.
  private static let calmRange: ClosedRange<Int64> = -50_000...250_000
  /// 250 microseconds off: 4 ppm.
  private static let calmNanoseconds = 60e9
  /// Up in half a second, before packets are late; down in two.
  private static let upNanoseconds = 0.5e9
  private static let downNanoseconds = 2e9
  /// A cent is 580 ppm, and nobody hears less than five.
  private static let greatestSteering = 1e-3

  /// Device frames to be made of a frame at 48 kHz that plays at `offset`.
  func ratio(offset: Int64) -> Double {
    let nominal = Double(deviceRate) / Double(MediaClock.framesPerSecond)
    return nominal * clocks.ratio * (1 - steering(surplusNanoseconds(offset: offset)))
  }

  /// By how much more than the sender's clock says the stream is to get ahead.
  private func steering(_ surplus: Int64) -> Double {
    let calm = min(max(surplus, Self.calmRange.lowerBound), Self.calmRange.upperBound)
    let firm = surplus < 0 ? Self.upNanoseconds : Self.downNanoseconds
    let steering = Double(calm) / Self.calmNanoseconds + Double(surplus - calm) / firm
    return min(max(steering, -Self.greatestSteering), Self.greatestSteering)
  }
}
