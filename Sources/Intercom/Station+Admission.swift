import EventLoop
import Media
import RTP

/// Who gets a place in the peer table. Rare, and may allocate.
extension Station {
  private static let refusalReportNanoseconds: Int64 = 60_000_000_000
  /// Strangers that have not proved their address, at most: the rest of the table is for those who did.
  private static let mostUnconfirmed = 8

  /// Adds a peer named by the user; a stranger that is there already becomes one.
  ///
  /// Where media are protected, peers come of members only.
  func addNamed(_ address: SocketAddress, nowNanoseconds: Int64) {
    guard protection == nil else { return }
    if let known = peers[address] {
      known.isNamedByUs = true
      return
    }
    if peers.isFull, let stranger = peers.all.first(where: isUnconfirmedStranger) {
      peers.remove(stranger)
    }
    let peer = makePeer(address, isNamedByUs: true, nowNanoseconds: nowNanoseconds)
    guard peers.add(peer) else {
      report(.tooManyPeers(address: address.description, maximum: peers.capacity))
      return
    }
  }

  /// Makes a peer named by the user a stranger, who may stay while it is there.
  func removeNamed(_ address: SocketAddress) {
    guard let peer = peers[address] else { return }
    peer.isNamedByUs = false
    if peer.state == .connecting || peer.state == .ourselves { peers.remove(peer) }
  }

  /// Takes a sender that is not in the table, if its datagram is a whole report and there is room.
  func admit(_ address: SocketAddress, _ bytes: RawSpan, nowNanoseconds: Int64) -> Peer? {
    var isLeaving = false
    do throws(RTPParseError) {
      isLeaving = try Self.isFarewell(bytes)
    } catch {
      drops.count(error)
      return nil
    }
    // A farewell come twice, or late.
    guard !isLeaving else {
      drops.unknownSource += 1
      return nil
    }
    guard !peers.isFull, peers.all.count(where: isUnconfirmedStranger) < Self.mostUnconfirmed,
      admissions.take(nowNanoseconds: nowNanoseconds)
    else {
      drops.refusedPeers += 1
      if peers.isFull { reportRefusal(address, nowNanoseconds: nowNanoseconds) }
      return nil
    }
    let peer = makePeer(address, isNamedByUs: false, nowNanoseconds: nowNanoseconds)
    guard peers.add(peer) else { return nil }
    peer.state = .contacted
    return peer
  }

  /// Whether a compound holds a BYE.
  ///
  /// - Throws: why it is none.
  static func isFarewell(_ bytes: RawSpan) throws(RTPParseError) -> Bool {
    var isLeaving = false
    try RTCPCompound.forEachPacket(in: bytes) { if case .bye = $0 { isLeaving = true } }
    return isLeaving
  }

  func isUnconfirmedStranger(_ peer: Peer) -> Bool {
    !peer.isNamedByUs && peer.state == .contacted && !peer.reports.isConfirmed
  }

  func makePeer(
    _ address: SocketAddress, isNamedByUs: Bool, nowNanoseconds: Int64
  ) -> Peer {
    streams.prepare()
    return Peer(
      address: address, isNamedByUs: isNamedByUs,
      reports: PeerReports(
        ssrc: identity.ssrc, canonicalName: identity.canonicalName, name: configuration.name,
        seed: random.next()),
      nowNanoseconds: nowNanoseconds)
  }

  private func reportRefusal(_ address: SocketAddress, nowNanoseconds: Int64) {
    guard
      nowNanoseconds - lastAdmissionRefusalNanoseconds > Self.refusalReportNanoseconds
    else { return }
    lastAdmissionRefusalNanoseconds = nowNanoseconds
    report(.tooManyPeers(address: address.description, maximum: peers.capacity))
  }
}
