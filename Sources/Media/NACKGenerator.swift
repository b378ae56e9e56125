import RTP

/// Tracks a receiver's losses and chooses those worth a NACK.
///
/// A packet is missing once a later one arrived or, while packets get lost, once it is overdue: only time reveals a
/// burst of losses before its end, or the loss of the last packet before a pause. It is NACKed at once, and again when
/// the RTX is overdue, up to `mostAsks` times, as long as the RTX can arrive before its playout. RTX delays are
/// measured: a node reads its socket when it has time, which may take longer than the round trip.
struct NACKGenerator {
  /// Most packets NACKed in one datagram.
  static let mostAtOnce = 32
  static let mostAsks = 5
  private static let capacity = 64
  /// Assumed RTX delay beyond the round trip until some were measured: both nodes read their
  /// sockets every 5 ms while packets get lost, and every 10 ms at least.
  private static let firstWaitNanoseconds: Int64 = 8_000_000

  private struct Missing {
    var sequence: Int64 = -1
    var startFrame: Int64 = 0
    var asks = 0
    var askedNanoseconds: Int64 = 0
  }

  /// Most overdue packets; more mean that the silence has another reason.
  private static let mostOverdue: Int64 = 3

  private var missing = [Missing](repeating: Missing(), count: capacity)
  /// The newest packet received.
  private var newest: PacketBuffer.Entry?
  /// The newest packet received or missing.
  private(set) var lastSequence: Int64 = 0
  private var meanNanoseconds: Int64?
  private var deviationNanoseconds: Int64 = 0

  /// When an RTX is overdue: too early costs one packet more, too late a dropout.
  private var patienceNanoseconds: Int64? {
    meanNanoseconds.map { $0 + deviationNanoseconds } ?? turnaroundNanoseconds
  }

  /// Missing packets not given up.
  private(set) var missingCount = 0
  /// Round trip as measured by reports; nil: unknown, so no NACKs.
  var roundTripNanoseconds: Int64?

  /// RTX delay, seldom exceeded: mean and two deviations; nil while unknown.
  var turnaroundNanoseconds: Int64? {
    guard let roundTripNanoseconds else { return nil }
    guard let meanNanoseconds else { return roundTripNanoseconds + Self.firstWaitNanoseconds }
    return max(roundTripNanoseconds, meanNanoseconds + 2 * deviationNanoseconds)
  }

  /// Another stream or time line begins.
  mutating func restart() {
    for index in missing.indices { missing[index].sequence = -1 }
    newest = nil
    missingCount = 0
  }

  /// Adds a packet's arrival.
  ///
  /// - Returns: how many packets are newly missing; -1: this one was missing, and is not lost.
  mutating func note(_ entry: PacketBuffer.Entry) -> Int {
    let wasMissed = settle(entry.sequence)
    guard let before = newest else {
      newest = entry
      lastSequence = entry.sequence
      return 0
    }
    guard entry.sequence > before.sequence else { return wasMissed ? -1 : 0 }
    newest = entry
    let first = max(lastSequence + 1, entry.sequence - Int64(Self.mostAtOnce))
    for sequence in first..<max(first, entry.sequence) {
      let behind = entry.sequence - sequence
      miss(sequence, startFrame: entry.startFrame - behind * Int64(entry.durationFrames))
    }
    lastSequence = max(lastSequence, entry.sequence)
    return Int(entry.sequence - before.sequence - 1)
  }

  /// Packets after the last one and before `end` were sent to others only.
  mutating func excuse(before end: Int64) {
    guard let last = newest?.sequence else { return }
    newest?.sequence = max(last, end - 1)
    lastSequence = max(lastSequence, end - 1)
  }

  /// Marks overdue packets as missing.
  ///
  /// - Parameter transit: arrival minus media time that a packet seldom exceeds.
  mutating func missOverdue(nowNanoseconds now: Int64, transitNanoseconds transit: Int64) {
    guard let newest, !newest.isNotice else { return }
    while lastSequence < newest.sequence + Self.mostOverdue {
      let ahead = lastSequence + 1 - newest.sequence
      let startFrame = newest.startFrame + ahead * Int64(newest.durationFrames)
      guard MediaClock.nanoseconds(frames: startFrame) + transit < now else { return }
      miss(lastSequence + 1, startFrame: startFrame)
      lastSequence += 1
    }
  }

  /// Adds the arrival of a repair, by RTX or a copy.
  mutating func noteRepair(_ sequence: Int64, isAnswer: Bool, arrivalNanoseconds now: Int64) {
    let entry = missing[Self.index(sequence)]
    // The answer to one of several requests tells nothing (Karn's rule).
    if isAnswer && entry.sequence == sequence && entry.asks == 1 {
      time(now - entry.askedNanoseconds)
    }
    settle(sequence)
  }

  /// The packets to NACK now, ascending.
  ///
  /// - Parameters:
  ///   - offset: playout less media time.
  ///   - lead: how long before its playout a packet must be there.
  mutating func take(
    nowNanoseconds now: Int64, offsetNanoseconds offset: Int64, leadNanoseconds lead: Int64,
    _ ask: (Int64) -> Void
  ) {
    guard missingCount > 0, let patience = patienceNanoseconds else { return }
    let least = roundTripNanoseconds ?? 0
    var asked = 0
    for sequence in (lastSequence - Int64(Self.capacity) + 1)...lastSequence {
      let index = Self.index(sequence)
      guard missing[index].sequence == sequence else { continue }
      let due = MediaClock.nanoseconds(frames: missing[index].startFrame) + offset - lead
      if due - now < least || missing[index].asks >= Self.mostAsks {
        // Past the last request an answer may still be under way: only time gives it up.
        if due < now { settle(sequence) }
        continue
      }
      let isAwaited =
        missing[index].asks > 0 && now - missing[index].askedNanoseconds < patience
      guard !isAwaited, asked < Self.mostAtOnce else { continue }
      missing[index].asks += 1
      missing[index].askedNanoseconds = now
      asked += 1
      ask(sequence)
    }
  }

  private mutating func miss(_ sequence: Int64, startFrame: Int64) {
    let index = Self.index(sequence)
    if missing[index].sequence < 0 { missingCount += 1 }
    missing[index] = Missing(sequence: sequence, startFrame: startFrame)
  }

  @discardableResult
  private mutating func settle(_ sequence: Int64) -> Bool {
    let index = Self.index(sequence)
    guard missing[index].sequence == sequence else { return false }
    missing[index].sequence = -1
    missingCount -= 1
    return true
  }

  /// Smooths as RFC 6298 §2 does.
  private mutating func time(_ sample: Int64) {
    let sample = max(0, min(sample, 500_000_000))
    guard let mean = meanNanoseconds else {
      meanNanoseconds = sample
      deviationNanoseconds = sample / 4
      return
    }
    deviationNanoseconds += (abs(sample - mean) - deviationNanoseconds) / 4
    meanNanoseconds = mean + (sample - mean) / 8
  }

  private static func index(_ sequence: Int64) -> Int {
    Int(truncatingIfNeeded: sequence) & (capacity - 1)
  }
}
