/// What a sender knows of one receiver's losses, and decides for it: fed by the receiver's reports, asked by
/// whoever sends.
///
/// Loop thread only; a report may allocate, a packet does not.
public final class RepairSession {
  /// Patience is counted in reports, of which one a second is due: more often nobody makes us decide.
  private static let leastIntervalNanoseconds: Int64 = 700_000_000

  private var yield = ResendYield()
  private var congestion: CongestionWatch
  private var toldPackets = 0
  private var wanted: RepairRecipe?
  private var roundTrip: RoundTripTime?
  private var losses = LossEstimate()

  private var measurementCount = 0
  private var observedNanoseconds: Int64?
  private var sentBefore = (packets: 0, octets: 0)
  private let boundBitsPerSecond: Int
  private let protectionBytes: Int

  /// What its packets carry.
  public private(set) var recipe = RepairRecipe.plain
  /// What it may have sent again.
  public var resends = ResendBudget()

  /// Frames in its packets.
  public var framesPerPacket: Int {
    didSet { congestion.framesPerPacket = framesPerPacket }
  }

  /// Whether its packets tell of the ones before them (in-band FEC).
  public var hasFEC = false

  /// Starts with plain packets.
  ///
  /// - Parameters:
  ///   - bound: payload bits a second, copies and all.
  ///   - framesPerPacket: of the packets.
  ///   - protectionBytes: what encryption adds to each of them.
  public init(boundBitsPerSecond bound: Int, framesPerPacket: Int, protectionBytes: Int = 0) {
    self.framesPerPacket = framesPerPacket
    self.protectionBytes = protectionBytes
    boundBitsPerSecond = bound
    congestion = CongestionWatch(
      boundBitsPerSecond: bound, framesPerPacket: framesPerPacket, protectionBytes: protectionBytes)
  }

  /// Whether nothing is lost, nothing is in the way and nothing is done about it.
  public var isAtRest: Bool {
    losses.lostShare == 0 && !congestion.isReduced && !congestion.isSuspecting && recipe == .plain
  }

  /// Whether the way takes less than the bit rate allows.
  public var isReduced: Bool { congestion.isReduced }

  /// Payload bits a second that may be sent.
  public var budgetBitsPerSecond: Int { congestion.budgetBitsPerSecond }

  /// Payload bits a second that its packets have, when frames are coded at `full` and `lean`.
  public func bitsPerSecond(full: Int, lean: Int) -> Int {
    recipe.bitsPerSecond(full: full, lean: lean, framesPerPacket: framesPerPacket)
  }

  /// Takes a report that told of losses; one that follows another too soon is counted in with the next.
  ///
  /// - Parameters:
  ///   - pattern: what all reports told.
  ///   - roundTrip: as measured; nil: not yet.
  ///   - riseBackNanoseconds: by how much the way from the receiver is longer than at its best.
  ///   - sentBitsPerSecond: payload that is sent while there is something to say.
  ///   - sent: packets and octets of payload that were sent in all.
  /// - Returns: whether there is something to decide by.
  @discardableResult
  public func observe(
    _ pattern: LossPattern, roundTrip: RoundTripTime?, riseBackNanoseconds: Int64,
    sentBitsPerSecond: Int, sent: (packets: Int, octets: Int), nowNanoseconds: Int64
  ) -> Bool {
    if let observedNanoseconds,
      nowNanoseconds - observedNanoseconds < Self.leastIntervalNanoseconds
    {
      // Patience is for what has proven itself.
      let news = pattern.summary(packets: newPackets(in: pattern))
      guard congestion.isFailing(sentBitsPerSecond: sentBitsPerSecond, lateShare: news.lateShare)
      else { return false }
    }
    let elapsed = observedNanoseconds.map { nowNanoseconds - $0 }
    observedNanoseconds = nowNanoseconds
    let sentShare = share(of: sent, ofBitsPerSecond: sentBitsPerSecond, inNanoseconds: elapsed)
    sentBefore = sent
    let told = newPackets(in: pattern)
    toldPackets = pattern.total
    let news = pattern.summary(packets: told)
    yield.add(
      left: pattern.unrepaired(
        packets: told, nearDistance: hasFEC ? max(1, recipe.nearDistance) : recipe.nearDistance,
        farDistance: recipe.farDistance),
      unheard: news.unheard - news.late)
    if news.lost > 0 || losses.lostShare > 0 {
      losses = LossEstimate(
        pattern, framesPerPacket: framesPerPacket, nowNanoseconds: nowNanoseconds)
    }
    self.roundTrip = roundTrip
    guard let roundTrip else { return true }
    let isNew = roundTrip.measurementCount != measurementCount
    measurementCount = roundTrip.measurementCount
    congestion.observe(
      roundTripNanoseconds: roundTrip.lastNanoseconds, isNew: isNew,
      riseBackNanoseconds: riseBackNanoseconds,
      lostShare: news.lostShare, lateShare: news.lateShare, sentBitsPerSecond: sentBitsPerSecond,
      sentShare: sentShare, nowNanoseconds: nowNanoseconds)
    return true
  }

  /// How many packets of a pattern were not told of before.
  private func newPackets(in pattern: LossPattern) -> Int {
    max(0, min(pattern.total - toldPackets, pattern.count))
  }

  /// What was sent since the last report, headers and all, of what would have been without a pause.
  private func share(
    of sent: (packets: Int, octets: Int), ofBitsPerSecond payload: Int,
    inNanoseconds elapsed: Int64?
  ) -> Double {
    let (packets, octets) = (sent.packets - sentBefore.packets, sent.octets - sentBefore.octets)
    guard let elapsed, packets >= 0, octets >= 0 else { return 1 }
    let headers = CongestionWatch.headerBitsPerSecond(
      framesPerPacket: framesPerPacket, protectionBytes: protectionBytes)
    let bits =
      8 * octets + packets * headers * framesPerPacket / MediaClock.framesPerSecond
    return Double(bits) * 1e9 / Double(elapsed) / Double(payload + headers)
  }

  /// What a plan needs to know.
  ///
  /// While the way may be congested nothing is added to what goes on it but what is sent again.
  public func need(full: Int, lean: Int) -> RepairPlan.Need {
    let resent = losses.lostShare * Double(full)
    let current = bitsPerSecond(full: full, lean: lean) + Int(resent.rounded(.up))
    return RepairPlan.Need(
      losses: losses,
      resendYield: yield.share(roundTrip: roundTrip, framesPerPacket: framesPerPacket),
      budgetBitsPerSecond: congestion.isSuspecting
        ? min(boundBitsPerSecond, current) : boundBitsPerSecond,
      wayBitsPerSecond: congestion.wayBitsPerSecond, protectionBytes: protectionBytes,
      recipe: recipe)
  }

  /// Decides anew; frames are coded at `full` from now on.
  ///
  /// - Returns: whether the recipe is another.
  public func decide(by plan: RepairPlan, full: Int, lean: Int) -> Bool {
    let need = need(full: full, lean: lean)
    let (chosen, isUrgent) = plan.recipe(for: need, full: full)
    defer { allowResends(full: full, lean: lean) }
    guard chosen != recipe else {
      wanted = nil
      return false
    }
    // Twice in a row, unless it cannot wait.
    guard isUrgent || wanted == chosen else {
      wanted = chosen
      return false
    }
    wanted = nil
    recipe = chosen
    return true
  }

  /// Sends these copies, whatever the reports say.
  public func fix(_ recipe: RepairRecipe) { self.recipe = recipe }

  /// What the budget leaves may be sent again: a twentieth of the packets at least, half of them at most.
  private func allowResends(full: Int, lean: Int) {
    let packets = 48_000 / Double(framesPerPacket)
    let left = Double(budgetBitsPerSecond - bitsPerSecond(full: full, lean: lean))
    let share = left / Double(max(full, 1))
    resends.packetsPerSecond = packets * min(0.5, max(0.05, share))
  }
}
