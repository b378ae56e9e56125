/// A sender's view of one receiver's losses, and its repair decisions: fed by the receiver's reports, read by
/// the sender.
///
/// Loop thread only; a report may allocate, a packet does not.
public final class RepairSession {
  /// Least time between two decisions: waits are counted in reports, of which one a second is due.
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

  /// The recipe of its packets.
  public private(set) var recipe = RepairRecipe.plain
  /// Its RTX budget.
  public var resends = ResendBudget()

  /// Frames in its packets.
  public var framesPerPacket: Int {
    didSet { congestion.framesPerPacket = framesPerPacket }
  }

  /// Streams that it is sent at once, all with ``recipe``: 1 and more.
  public var streamCount = 1 {
    didSet { congestion.streamCount = streamCount }
  }

  /// Whether its packets have in-band FEC.
  public var hasFEC = false

  /// Starts with plain packets.
  ///
  /// - Parameters:
  ///   - bound: payload bits a second of each stream, copies and all.
  ///   - framesPerPacket: of the packets.
  ///   - protectionBytes: what encryption adds to each of them.
  public init(boundBitsPerSecond bound: Int, framesPerPacket: Int, protectionBytes: Int = 0) {
    self.framesPerPacket = framesPerPacket
    self.protectionBytes = protectionBytes
    boundBitsPerSecond = bound
    congestion = CongestionWatch(
      boundBitsPerSecond: bound, framesPerPacket: framesPerPacket, protectionBytes: protectionBytes)
  }

  /// Whether there is no loss, no congestion and no repair.
  public var isAtRest: Bool {
    losses.lostShare == 0 && !congestion.isReduced && !congestion.isSuspecting && recipe == .plain
  }

  /// Whether the path is narrower than the bit rate allows.
  public var isReduced: Bool { congestion.isReduced }

  /// Payload bit rate that may be sent in each stream.
  public var budgetBitsPerSecond: Int { congestion.budgetBitsPerSecond / streamCount }

  /// Payload bits a second that the packets of a stream have, when frames are coded at `full` and `lean`.
  public func bitsPerSecond(full: Int, lean: Int) -> Int {
    recipe.bitsPerSecond(full: full, lean: lean, framesPerPacket: framesPerPacket)
  }

  /// Adds a report on losses; one that follows another too soon counts with the next.
  ///
  /// - Parameters:
  ///   - pattern: what all reports told.
  ///   - roundTrip: as measured; nil: not yet.
  ///   - riseBackNanoseconds: by how much the way from the receiver is longer than at its best.
  ///   - sentBitsPerSecond: payload that is sent in all while there is something to say.
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

  /// Packets of a pattern that were not reported before.
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
    return Double(bits) * 1e9 / Double(elapsed) / Double(payload + streamCount * headers)
  }

  /// What a plan needs to know.
  ///
  /// While the path may be congested only RTX may be added.
  public func need(full: Int, lean: Int) -> RepairPlan.Need {
    let resent = losses.lostShare * Double(full)
    let current = bitsPerSecond(full: full, lean: lean) + Int(resent.rounded(.up))
    return RepairPlan.Need(
      losses: losses,
      resendYield: yield.share(roundTrip: roundTrip, framesPerPacket: framesPerPacket),
      budgetBitsPerSecond: congestion.isSuspecting
        ? min(boundBitsPerSecond, current) : boundBitsPerSecond,
      wayBitsPerSecond: congestion.wayBitsPerSecond.map { $0 / streamCount },
      protectionBytes: protectionBytes,
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

  /// RTX gets what the budget leaves: at least a twentieth of the packets, at most half.
  private func allowResends(full: Int, lean: Int) {
    let packets = Double(streamCount) * 48_000 / Double(framesPerPacket)
    let left = Double(budgetBitsPerSecond - bitsPerSecond(full: full, lean: lean))
    let share = left / Double(max(full, 1))
    resends.packetsPerSecond = packets * min(0.5, max(0.05, share))
  }
}
