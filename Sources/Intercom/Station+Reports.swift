import EventLoop
import Media

/// Reports to peers.
extension Station {
  /// Late packets that a peer is told of before its report's time: what it sends may be more than the way takes.
  private static let tellingLatePackets = 3

  /// Sends a compound report if the peer's time has come (or it just made contact).
  func sendReportIfDue(_ peer: Peer, nowNanoseconds: Int64) {
    let late = peer.stream?.statistics.late ?? 0
    if late - peer.toldLatePackets >= Self.tellingLatePackets {
      peer.reports.hurry(nowNanoseconds: nowNanoseconds)
    }
    guard nowNanoseconds >= peer.reports.nextReportNanoseconds else { return }
    peer.toldLatePackets = late
    let isSending = peer.state == .connected
    let sender = SenderCounters(
      packets: isSending ? peer.sentPackets : 0,
      payloadOctets: isSending ? peer.sentOctets : 0,
      currentTimestamp: talker.currentTimestamp)
    let losses = peer.stream?.takeLossReport()
    let slot = endpoint.makePacket { packet in
      makeReport(into: &packet) {
        peer.reports.makeReport(
          sender: sender, losses: losses, nowNanoseconds: nowNanoseconds, into: &$0)
      }
    }
    if let slot { endpoint.send(slot, to: peer.address) }
  }
}

/// How often something that happens again and again is worth a line of a log: of each subject once in an interval.
public struct TellingInterval<Subject: Hashable & Sendable>: Sendable {
  private let nanoseconds: Int64
  private var told: [Subject: Int64] = [:]

  /// An interval of so many seconds.
  public init(seconds: Int64) { nanoseconds = seconds * 1_000_000_000 }

  /// How long a subject is not to be told of; 0: it may be.
  public func wait(for subject: Subject, nowNanoseconds: Int64) -> Int64 {
    told[subject].map { max(0, $0 + nanoseconds - nowNanoseconds) } ?? 0
  }

  /// Whether a subject may be told of; then it counts as told.
  public mutating func tells(_ subject: Subject, nowNanoseconds: Int64) -> Bool {
    guard wait(for: subject, nowNanoseconds: nowNanoseconds) == 0 else { return false }
    told = told.filter { nowNanoseconds - $0.value < nanoseconds }
    told[subject] = nowNanoseconds
    return true
  }
}
