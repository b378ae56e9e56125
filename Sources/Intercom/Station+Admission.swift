import EventLoop
import Media
import RTP

/// Who has a place in the peer table. Rare, and may allocate.
extension Station {
  /// Makes an address that its member tells no more one that may stay while it is heard.
  func removeNamed(_ address: SocketAddress) {
    guard let peer = peers[address] else { return }
    peer.isNamedByUs = false
    if peer.state == .connecting { peers.remove(peer) }
  }

  /// Whether a compound holds a BYE.
  ///
  /// - Throws: why it is none.
  static func isFarewell(_ bytes: RawSpan) throws(RTPParseError) -> Bool {
    var isLeaving = false
    try RTCPCompound.forEachPacket(in: bytes) { if case .bye = $0 { isLeaving = true } }
    return isLeaving
  }

  /// Whether an address was told by nobody and has not proved itself.
  func isUnconfirmedStranger(_ peer: Peer) -> Bool {
    !peer.isNamedByUs && peer.state == .contacted && !peer.reports.isConfirmed
  }

  func makePeer(
    _ address: SocketAddress, of member: Member, isNamedByUs: Bool, nowNanoseconds: Int64
  ) -> Peer {
    streams.prepare()
    return Peer(
      address: address, of: member, isNamedByUs: isNamedByUs,
      reports: PeerReports(
        ssrc: identity.ssrc, canonicalName: identity.canonicalName, name: ownName,
        seed: random.next()),
      nowNanoseconds: nowNanoseconds)
  }
}
