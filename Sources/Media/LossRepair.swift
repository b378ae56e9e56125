import RTP

/// What is known of a stream's losses, and how long repairs of them take.
///
/// Packet by packet: what came and what was heard (`ReceptionRecord`, for reports), which are missing and worth a NACK
/// (`NACKGenerator`), how long playout is to wait for repairs (`RepairDelay`), and by how much the path's delay has
/// risen (`SmoothedTransit`).
struct LossRepair {
  /// Loss from which playout waits for FEC.
  private static let tellingLoss = 0.005

  private var reception = ReceptionRecord()
  private var requests = NACKGenerator()
  private var patience: RepairDelay
  private var transit = SmoothedTransit()

  /// How much later than packets need themselves they are to be played.
  var delayNanoseconds: Int64 { patience.delayNanoseconds }
  /// How much of that is needed no more.
  var spareNanoseconds: Int64 { patience.spareNanoseconds }
  /// How many packets in a row do not come at first.
  var burstPackets: Double { patience.burstPackets }
  /// By how much packets are under way for longer than at their best of the last half minute.
  var delayRiseNanoseconds: Int64 { transit.riseNanoseconds }
  /// The newest packet that came or was missed.
  var lastSequence: Int64 { requests.lastSequence }

  init(boundNanoseconds: Int64) { patience = RepairDelay(boundNanoseconds: boundNanoseconds) }

  /// Another time line begins; what repairs took stays known.
  mutating func restart() {
    requests.restart()
    transit = SmoothedTransit()
  }

  /// Reports begin with a packet.
  mutating func begin(at sequence: Int64, number: SequenceNumber) {
    reception.restart(at: sequence, number: number)
  }

  /// Takes a packet's own arrival; `wanderNanoseconds`: how much of its delay is the clocks'.
  mutating func note(_ entry: PacketBuffer.Entry, isHeard: Bool, wanderNanoseconds: Int64) {
    reception.note(entry.sequence, came: true, heard: isHeard)
    transit.add(
      entry.arrivalNanoseconds - MediaClock.nanoseconds(frames: entry.endFrame)
        - wanderNanoseconds,
      nowNanoseconds: entry.arrivalNanoseconds)
    patience.note(missed: requests.note(entry), frames: entry.durationFrames)
    noteRecovery(entry)
    patience.judge(
      frames: entry.durationFrames, turnaroundNanoseconds: requests.turnaroundNanoseconds,
      nowNanoseconds: entry.arrivalNanoseconds)
  }

  /// Notes that FEC covers the packet before this one, and the delay that waiting for FEC takes.
  private mutating func noteRecovery(_ entry: PacketBuffer.Entry) {
    guard entry.recoverableFrames > 0 else { return }
    requests.noteRepair(
      entry.sequence - 1, isAnswer: false, arrivalNanoseconds: entry.arrivalNanoseconds)
    guard patience.lossShare >= Self.tellingLoss else { return }
    patience.noteCopies(
      frames: entry.recoverableFrames, arrivalNanoseconds: entry.arrivalNanoseconds)
  }

  /// Packets after the last one were sent to others only: none is missing, nor is asked for.
  mutating func excuse(_ range: Range<Int64>) {
    requests.excuse(before: range.upperBound)
    var sequence = max(range.lowerBound, range.upperBound - Int64(ReceptionRecord.capacity))
    while sequence < range.upperBound {
      reception.note(sequence, came: true, heard: true)
      sequence += 1
    }
  }

  /// Takes a packet that was sent again.
  mutating func noteResent(_ entry: PacketBuffer.Entry) {
    requests.noteRepair(
      entry.sequence, isAnswer: true, arrivalNanoseconds: entry.arrivalNanoseconds)
  }

  /// Takes a copy that came `offsetFrames` after its packet.
  mutating func noteCopy(_ entry: PacketBuffer.Entry, offsetFrames: Int) {
    patience.noteCopies(frames: offsetFrames, arrivalNanoseconds: entry.arrivalNanoseconds)
    requests.noteRepair(
      entry.sequence, isAnswer: false, arrivalNanoseconds: entry.arrivalNanoseconds)
  }

  /// A packet that did not come is heard by a repair.
  mutating func noteRepaired(_ sequence: Int64) {
    reception.note(sequence, came: false, heard: true)
  }

  /// Notes delay removed in silence that repairs no longer need.
  mutating func shorten(byNanoseconds taken: Int64) { patience.shorten(byNanoseconds: taken) }

  /// Reception of the packets before `end` since the last call; nil: none.
  mutating func takeReport(before end: Int64) -> LossReport? { reception.takeReport(before: end) }

  /// Counts packets as missing that are overdue, where they seldom are under way for longer than `transitNanoseconds`.
  mutating func missOverdue(nowNanoseconds: Int64, transitNanoseconds: Int64) {
    // What a copy may bring needs not be asked for before.
    requests.missOverdue(
      nowNanoseconds: nowNanoseconds,
      transitNanoseconds: transitNanoseconds + patience.copiesNanoseconds)
  }

  /// What reports measured; nil: nothing yet, so no NACK.
  mutating func setRoundTrip(nanoseconds: Int64?) { requests.roundTripNanoseconds = nanoseconds }

  /// Gives the missing packets whose RTX can still arrive in time, ascending.
  mutating func takeRequests(
    nowNanoseconds: Int64, offsetNanoseconds: Int64, leadNanoseconds: Int64,
    _ body: (Int64) -> Void
  ) {
    guard requests.missingCount > 0 else { return }
    requests.take(
      nowNanoseconds: nowNanoseconds, offsetNanoseconds: offsetNanoseconds,
      leadNanoseconds: leadNanoseconds, body)
  }
}
