/// Estimates the bit rate that the path to one receiver carries: congestion control by delay.
///
/// Loss alone is not congestion: radios lose packets. A growing queue is: the forward delay rises, seen as a
/// rising round trip while the backward delay stays.
///
/// States: free (the bound is the configured one), suspecting (one report told of a long way: nothing may be added),
/// reduced (below the bound), probing (a step up is being tried).
/// - free, reduced, probing → suspecting: the way is `riseNanoseconds` longer than at its best; or nobody knows how
///   long it is, as for `unansweredReports` reports none of ours was answered while a quarter and more was lost: a
///   queue that is always full lets hardly anything through.
/// - suspecting → reduced: at the next report, too: three quarters of what went on the wire, headers and all, or
///   nine tenths of what came through where much was lost, then
///   `settlingReports` reports of patience, as the queue must drain first. From probing: back to what was good, and the
///   next probe waits three times as long. What is only being tried is given up at the first sign, be it a long way or
///   packets that come too late: a queue of 200 ms fills in a second, and until it is empty again nothing is heard.
/// - reduced → probing: after the wait without a long way: a tenth more on the wire.
/// - probing → reduced: after `provingReports` without a long way this is what is good, and where it was used the next
///   probe waits no longer than the first did.
/// - What may be sent is not what is sent: the talker chooses in steps. When it takes a step that has not been proven
///   in the same way, and the way gets long, that was a failed probe, too.
/// - free, reduced → reduced, and back if it was in vain: as much is lost though the way is not longer:
///   see `LossTrial`.
/// - reduced → what was before: after two reductions the way is as long as at the first, and nothing gets lost that did
///   not before. Then it is no queue of ours but the path (roaming, a tunnel, somebody else's queue), and its length
///   the one to compare with.
///
/// Constants: 50 ms is more than what two Wi-Fi hops at the 99th percentile take (30 ms), and a quarter of the queue of
/// 200 ms that a narrow way has; single spikes pass as suspicions. Probes at 10, 30, 90, 270 s do not oscillate.
public struct CongestionWatch: Sendable {
  private static let riseNanoseconds: Int64 = 50_000_000
  private static let settlingReports = 3
  private static let provingReports = 6
  private static let reduction = 0.75
  private static let (muchLoss, throughputShare) = (0.05, 0.9)
  private static let (unansweredReports, unansweredLoss) = (3, 0.25)
  private static let (usedShare, unusedPatience) = (0.85, 4)
  /// A share of late packets above the wanted one, and above what a spike of a tenth of a second causes.
  private static let muchLate = 0.1
  /// A rate this far above the proven one is unproven.
  private static let provenMargin = 1.05
  private static let increase = 1.1
  private static let (firstWaitReports, longestWaitReports) = (10, 270)
  private static let growingPatience = 3
  /// Of the rise at the first reduction: less shows that reductions help, more that a queue grows.
  private static let unchangedRise = 0.8...1.5
  /// A sender below this is in a pause, which proves nothing about the path.
  private static let quietShare = 0.5
  private static let tellingReductions = 2
  private static let lossSmoothing = 0.1
  /// Speech is never coded below this.
  private static let leastBitsPerSecond = 12_000
  /// The same in the longest packets.
  private var leastWireBits: Int {
    streamCount * Self.leastBitsPerSecond + headerBits(2880)
  }

  private enum State { case steady, probing }

  private var state = State.steady
  private var roundTrip = DelayRise()
  private var suspicions = 0
  private var settling = 0
  private var calmReports = 0
  private var waitReports = firstWaitReports
  private var goodWireBits = 0
  /// Rate sent, headers included, for `provingReports` without a rise in delay; 0: not known.
  private var provenWireBits = 0
  private var provingCount = 0
  /// Reports in a row without a new measurement.
  private var unanswered = 0
  private var wireBits: Int?
  /// Whether reductions help; nil: none was made since the delay was last short.
  private var trial: RateTrial?
  private var lossTrial = LossTrial(leastLoss: unansweredLoss)
  /// Loss while the delay is short, smoothed.
  private var usualLoss = 0.0

  private struct RateTrial {
    var riseNanoseconds: Int64
    var wireBits: Int?
    var waitReports: Int
    var reductions = 1
  }

  private let bound: Int
  private let usualFrames: Int
  private let protectionBytes: Int

  /// Frames in the packets that are sent.
  public var framesPerPacket: Int
  /// Streams that are sent at once; what may be sent is for all together.
  public var streamCount = 1
  private var headerBits: Int { headerBits(framesPerPacket) }

  private func headerBits(_ framesPerPacket: Int) -> Int {
    streamCount
      * Self.headerBitsPerSecond(
        framesPerPacket: framesPerPacket, protectionBytes: protectionBytes)
  }

  /// Whether the rate is below the bound because the path carries no more.
  public var isReduced: Bool { wireBits != nil }
  /// Whether the last report showed a long delay: a bad moment to send more.
  public var isSuspecting: Bool { suspicions > 0 }
  /// Rise of the forward delay above its minimum, nanoseconds.
  public private(set) var riseNanoseconds: Int64 = 0

  /// Rate the path carries, headers included; nil: more than the bound.
  public var wayBitsPerSecond: Int? { wireBits }
  /// Payload bit rate that may be sent.
  public var budgetBitsPerSecond: Int {
    guard let wireBits else { return streamCount * bound }
    return min(
      streamCount * bound, max(streamCount * Self.leastBitsPerSecond, wireBits - headerBits))
  }

  /// IP, UDP and RTP headers of a second's packets, with the audio level, and what encryption adds.
  static func headerBitsPerSecond(framesPerPacket: Int, protectionBytes: Int = 0) -> Int {
    8 * (28 + 20 + protectionBytes) * MediaClock.framesPerSecond / framesPerPacket
  }

  /// Makes a watch over packets of so many frames, to each of which encryption adds `protectionBytes`; `bound` is in
  /// payload bits a second of a stream.
  public init(boundBitsPerSecond bound: Int, framesPerPacket: Int, protectionBytes: Int = 0) {
    self.bound = bound
    self.protectionBytes = protectionBytes
    self.framesPerPacket = framesPerPacket
    usualFrames = framesPerPacket
  }

  /// Takes a report.
  ///
  /// - Parameters:
  ///   - roundTripNanoseconds: as measured last.
  ///   - isNew: whether that was measured since the report before.
  ///   - riseBackNanoseconds: rise of the backward delay above its minimum.
  ///   - lostShare: of what was sent since the report before.
  ///   - lateShare: share of that too late to play.
  ///   - sentBitsPerSecond: payload that is sent while there is something to say.
  ///   - sentShare: of that, with headers, what was sent since the report before.
  public mutating func observe(
    roundTripNanoseconds: Int64, isNew: Bool = true, riseBackNanoseconds: Int64,
    lostShare: Double, lateShare: Double = 0, sentBitsPerSecond: Int, sentShare: Double = 1,
    nowNanoseconds: Int64
  ) {
    roundTrip.add(roundTripNanoseconds, nowNanoseconds: nowNanoseconds)
    let riseBefore = riseNanoseconds
    riseNanoseconds = max(0, roundTrip.nanoseconds - max(0, riseBackNanoseconds))
    if settling > 0 { settling -= 1 }
    let isQuiet = sentShare < Self.quietShare
    unanswered = isNew ? 0 : unanswered + 1
    let isUnanswered =
      unanswered >= Self.unansweredReports && lostShare > Self.unansweredLoss
    guard
      riseNanoseconds > Self.riseNanoseconds || isUnanswered
        || isFailing(sentBitsPerSecond: sentBitsPerSecond, lateShare: lateShare)
    else {
      suspicions = 0
      trial = nil
      usualLoss += Self.lossSmoothing * (lostShare - usualLoss)
      guard !isQuiet else { return }
      if isNew { calm(sentWireBits: sentBitsPerSecond + headerBits, lostShare: lostShare) }
      let outcome = lossTrial.observe(
        lostShare: lostShare, wireBits: wireBits, mayBegin: state == .steady)
      follow(outcome, sentBitsPerSecond, lostShare: lostShare)
      return
    }
    follow(lossTrial.end(), sentBitsPerSecond, lostShare: lostShare)
    // Less makes no queue shorter that is not ours.
    guard !isQuiet else {
      suspicions = max(1, suspicions)
      return
    }
    suspicions += 1
    calmReports = 0
    provingCount = 0
    // A queue that drains needs but time.
    let isDraining = isReduced && 10 * riseNanoseconds < 9 * riseBefore
    guard suspicions > 1 || isTrying(sentBitsPerSecond), settling == 0, !isDraining else { return }
    guard !isPath(lostShare: lostShare, isMeasured: isNew) else {
      takeForPath()
      return
    }
    let before = (state == .probing ? goodWireBits : wireBits, waitReports)
    reduce(sentBitsPerSecond, lostShare: lostShare)
    follow(before: before)
  }

  /// Whether delay and loss are as before the first reduction.
  private func isPath(lostShare: Double, isMeasured: Bool) -> Bool {
    guard let trial, isMeasured, trial.reductions >= Self.tellingReductions,
      lostShare <= usualLoss + Self.muchLoss
    else { return false }
    return Self.unchangedRise.contains(Double(riseNanoseconds) / Double(trial.riseNanoseconds))
  }

  private mutating func takeForPath() {
    if let trial { (wireBits, waitReports) = (trial.wireBits, trial.waitReports) }
    roundTrip.rebase()
    riseNanoseconds = 0
    (trial, suspicions, state) = (nil, 0, .steady)
  }

  /// Counts a reduction, or starts again where the delay has changed since the first.
  private mutating func follow(before: (wireBits: Int?, waitReports: Int)) {
    guard riseNanoseconds > Self.riseNanoseconds else {
      trial = nil
      return
    }
    if let trial,
      Self.unchangedRise.contains(Double(riseNanoseconds) / Double(trial.riseNanoseconds))
    {
      self.trial?.reductions += 1
    } else {
      trial = RateTrial(
        riseNanoseconds: riseNanoseconds, wireBits: before.wireBits,
        waitReports: before.waitReports)
    }
  }

  private mutating func reduce(_ sentBitsPerSecond: Int, lostShare: Double) {
    settling = Self.settlingReports
    let sent = min(wireBits ?? .max, sentBitsPerSecond + headerBits)
    if state == .probing || isBeyondProven(sent) {
      wireBits = isBeyondProven(sent) ? provenWireBits : goodWireBits
      state = .steady
      waitReports = min(Self.growingPatience * waitReports, Self.longestWaitReports)
      return
    }
    provenWireBits = 0
    let share =
      lostShare > Self.muchLoss ? Self.throughputShare * (1 - lostShare) : Self.reduction
    wireBits = max(Int(share * Double(sent)), leastWireBits)
  }

  /// Whether an unproven rate is sent and packets arrive too late.
  ///
  /// - Parameters:
  ///   - sentBitsPerSecond: payload that is sent.
  ///   - lateShare: of the last packets.
  func isFailing(sentBitsPerSecond: Int, lateShare: Double) -> Bool {
    isTrying(sentBitsPerSecond) && lateShare > Self.muchLate
  }

  private func isTrying(_ sentBitsPerSecond: Int) -> Bool {
    isReduced && isBeyondProven(sentBitsPerSecond + headerBits)
  }

  /// Whether this rate on the wire exceeds the proven one.
  private func isBeyondProven(_ wireBits: Int) -> Bool {
    provenWireBits > 0 && Double(wireBits) > Self.provenMargin * Double(provenWireBits)
  }

  private mutating func follow(
    _ outcome: LossTrial.Outcome, _ sentBitsPerSecond: Int, lostShare: Double
  ) {
    switch outcome {
    case .none: break
    case .wasInVain(let before): wireBits = before
    case .begins:
      (calmReports, provenWireBits) = (0, 0)
      let sent = min(wireBits ?? .max, sentBitsPerSecond + headerBits)
      wireBits = max(Int(Self.throughputShare * (1 - lostShare) * Double(sent)), leastWireBits)
    }
  }

  private mutating func calm(sentWireBits sent: Int, lostShare: Double) {
    calmReports += 1
    // What is lost did not go through.
    if lostShare <= Self.unansweredLoss { prove(sent) }
    // Of what is not used nobody can tell whether it is there.
    let isUsed = Double(sent) > Self.usedShare * Double(wireBits ?? 0)
    guard let current = wireBits else {
      // As long as a failed probe would be waited for.
      if calmReports >= waitReports { waitReports = Self.firstWaitReports }
      return
    }
    switch state {
    case .probing where calmReports >= Self.provingReports:
      state = .steady
      calmReports = 0
      if current >= streamCount * bound + headerBits(usualFrames) { wireBits = nil }
    case .steady where calmReports >= (isUsed ? waitReports : Self.unusedPatience * waitReports):
      state = .probing
      calmReports = 0
      goodWireBits = current
      wireBits = Int(Self.increase * Double(current))
    default: break
    }
  }

  private mutating func prove(_ sent: Int) {
    guard Double(sent) > Self.provenMargin * Double(provenWireBits) else {
      provingCount = 0
      return
    }
    provingCount += 1
    guard provingCount >= Self.provingReports else { return }
    // More goes through than at first: the next step may do so as well.
    if provenWireBits > 0 { waitReports = Self.firstWaitReports }
    (provenWireBits, provingCount) = (sent, 0)
  }
}
