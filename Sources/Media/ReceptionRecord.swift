import RTP

/// Which packets of a stream arrived, and whose audio was in time, until reported.
///
/// A ring of bits by sequence number; packets not noted are lost.
struct ReceptionRecord {
  /// 2048 packets: 5 s of the shortest; reports are a second apart.
  static let capacity = 2048

  private var came = [Bool](repeating: false, count: capacity)
  private var heard = [Bool](repeating: false, count: capacity)
  private var firstNumber = SequenceNumber(rawValue: 0)
  private var firstSequence: Int64 = 0
  private var endSequence: Int64 = 0
  private var reportedSequence: Int64 = 0

  /// Begins with a stream's first packet: its number on the wire, and ours without wraps.
  mutating func restart(at sequence: Int64, number: SequenceNumber) {
    for index in came.indices { (came[index], heard[index]) = (false, false) }
    firstNumber = number
    (firstSequence, endSequence, reportedSequence) = (sequence, sequence, sequence)
  }

  /// Notes that a packet arrived itself, or that its audio is in time, or both.
  mutating func note(_ sequence: Int64, came hasCome: Bool, heard isHeard: Bool) {
    guard sequence >= max(reportedSequence, endSequence - Int64(Self.capacity)) else { return }
    while endSequence <= sequence {
      if sequence - endSequence >= Int64(Self.capacity) {
        endSequence = sequence - Int64(Self.capacity) + 1
      }
      let index = Self.index(endSequence)
      (came[index], heard[index]) = (false, false)
      endSequence += 1
    }
    let index = Self.index(sequence)
    came[index] = came[index] || hasCome
    heard[index] = heard[index] || isHeard
  }

  /// Reception of the packets before `end` not reported yet; nil: none.
  mutating func takeReport(before end: Int64) -> LossReport? {
    let end = min(end, endSequence)
    let begin = max(
      reportedSequence, endSequence - Int64(Self.capacity), end - LossReport.mostPackets)
    guard begin < end else { return nil }
    var report = LossReport(
      begin: firstNumber.advanced(by: Int(truncatingIfNeeded: begin - firstSequence)))
    for sequence in begin..<end {
      report.append(came: came[Self.index(sequence)], heard: heard[Self.index(sequence)])
    }
    reportedSequence = end
    return report
  }

  private static func index(_ sequence: Int64) -> Int {
    Int(truncatingIfNeeded: sequence) & (capacity - 1)
  }
}
