import EventLoop
import Media

/// Reports to peers, and the last word.
extension Station {
  /// Late packets that a peer is told of before its report's time: what it sends may be more than the way takes.
  private static let tellingLatePackets = 3

  /// Sends a compound report if the peer's time has come (or it just made contact).
  func sendReportIfDue(_ peer: Peer, nowNanoseconds: Int64) {
    let late = peer.stream?.statistics.late ?? 0
    if late - peer.toldLatePackets >= Self.tellingLatePackets {
      peer.reports.hurry(nowNanoseconds: nowNanoseconds)
    }
    guard peer.state != .ourselves, nowNanoseconds >= peer.reports.nextReportNanoseconds else {
      return
    }
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

  /// Says goodbye to everyone who was heard; the datagrams go out with the loop's next entry into the kernel.
  ///
  /// To a node's other addresses as well: which of ours it has connected is its own choice.
  func sayGoodbye() {
    // Members hear it on their control connections, and would not believe it here.
    for peer in protection == nil ? peers.all : []
    where peer.state != .connecting && peer.state != .ourselves {
      let slot = endpoint.makePacket { packet in
        makeReport(into: &packet) { peer.reports.makeBye(into: &$0) }
      }
      if let slot { endpoint.send(slot, to: peer.address) }
    }
    hasSaidGoodbye = true
  }
}
