/// Whether one end of a connection acknowledges what comes in packets of their own, or along with what it sends.
///
/// As Linux does it. An end acknowledges at once what comes after a pause longer than the retransmission time-out, as
/// all heartbeats do, unless it answered what came before in good time: then it waits for the next answer, 40 ms or
/// more. When none comes in that time it acknowledges by itself, and is taken for one that does not answer.
struct MeshAcknowledging {
  /// For so long an acknowledgement surely waits; half of what Linux says (TCP_DELACK_MIN), as its clock ticks.
  static let waitNanoseconds: Int64 = 20_000_000

  private var receivedNanoseconds: Int64 = .min / 2
  private var answers = false
  private var owes = false

  /// Something came.
  mutating func receive(_ now: Int64) {
    if owes { answers = false }
    owes = answers
    receivedNanoseconds = now
  }

  /// Something goes out.
  ///
  /// - Returns: whether the acknowledgement of what came last rides on it.
  mutating func send(_ now: Int64) -> Bool {
    let isSoon = now - receivedNanoseconds <= Self.waitNanoseconds
    if isSoon { answers = true } else if owes { answers = false }
    defer { owes = false }
    return owes && isSoon
  }
}
