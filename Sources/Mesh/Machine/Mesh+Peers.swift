import Cryptography

/// The table of known peers, within bounds.
extension Mesh {
  /// The peer of a node, new or known, with another source; nil where it is not to be known, or
  /// there is no room.
  func makePeer(
    _ node: NodeID, _ sources: Peer.Sources, informant: NodeID? = nil, evenBlocked: Bool = false,
    _ now: Int64
  ) -> Peer? {
    guard node != self.node, evenBlocked || !ledger.blocked.contains(node) else { return nil }
    if let known = peers[.node(node)] {
      known.sources.formUnion(sources)
      known.mentionedNanoseconds = now
      return known
    }
    let peer = Peer(target: .node(node), sources: sources, nowNanoseconds: now)
    peer.informant = informant
    if ledger.trusted.contains(node) { peer.sources.insert(.proven) }
    guard makeRoom(for: peer) else {
      counters.hearsayDropped += 1
      return nil
    }
    peers[peer.target] = peer
    wake(atNanoseconds: now.saturatingAdding(MeshTimes.hearsayNanoseconds))
    return peer
  }

  /// Hearsay keeps within its class; who is more than that takes the place of who is less.
  private func makeRoom(for peer: Peer) -> Bool {
    guard peers.count >= MeshLimits.gossipedPeersPerMember else { return true }
    if peer.isHearsay { return makeRoomAmongHearsay(for: peer) }
    guard peers.count >= MeshLimits.peers else { return true }
    let absent = peers.values.filter { $0.member == nil && !$0.sources.contains(.configured) }
    let isTrusted = { [ledger] (peer: Peer) in peer.node.map(ledger.trusted.contains) ?? false }
    let order = { (peer: Peer) in
      (peer.isHearsay ? 0 : isTrusted(peer) ? 2 : 1, peer.heardNanoseconds)
    }
    guard let least = absent.min(by: { order($0) < order($1) }) else { return false }
    remove(least)
    return true
  }

  /// Fresh ones may be real: only one that failed makes room, the worst first.
  private func makeRoomAmongHearsay(for peer: Peer) -> Bool {
    let limit = peer.isGossip ? MeshLimits.gossipedPeers : MeshLimits.announcedPeers
    var (kin, siblings) = (0, 0)
    var worstKin: Peer?
    var worstSibling: Peer?
    for other in peers.values where other.isHearsay && other.isGossip == peer.isGossip {
      kin += 1
      if other.failureCount > worstKin?.failureCount ?? 0 { worstKin = other }
      guard peer.isGossip, other.informant == peer.informant else { continue }
      siblings += 1
      if other.failureCount > worstSibling?.failureCount ?? 0 { worstSibling = other }
    }
    let isFamilyFull = siblings >= MeshLimits.gossipedPeersPerMember
    guard isFamilyFull || kin >= limit || peers.count >= MeshLimits.peers else { return true }
    guard let worst = isFamilyFull ? worstSibling : worstKin else { return false }
    remove(worst)
    return true
  }

  /// Whether a node can be a member; where there are as many as may be,
  /// whom the user trusts takes the place of who came last.
  func makePlace(for node: NodeID, _ now: Int64) -> Bool {
    let members = membersByRevision()
    guard members.count >= MeshLimits.members, peers[.node(node)]?.member == nil else {
      return true
    }
    let isTrusted = { [ledger] (peer: Peer) in peer.node.map(ledger.trusted.contains) ?? false }
    guard ledger.trusted.contains(node), let last = members.last(where: { !isTrusted($0) }) else {
      return false
    }
    if let link = last.link {
      actions.append(.send(.decline(Decline(words: "too many members")), link.connection))
      close(link, .crowded, as: .expelled, now)
    }
    departUnlinked(last, now)
    return true
  }

  /// Forgets a peer that is no member.
  func remove(_ peer: Peer) {
    abandonDials(of: peer)
    peer.attempt = nil
    peer.nextDialNanoseconds = .max
    peers[peer.target] = nil
    peer.isForgotten = true
    releaseNamed(answeredBy: peer, latestNanoseconds)
  }

  /// Whether a connection to it would be useful.
  func wants(_ peer: Peer) -> Bool {
    guard peer.rest == .none, peer.link == nil else { return false }
    guard let node = peer.node else {
      // Somebody answered there, who is now a peer of its own.
      let answered = peer.answeredBy.flatMap { peers[.node($0)] }
      return answered == nil || answered?.rest == .declined
    }
    if ledger.blocked.contains(node) { return false }
    if peer.sources == .stranger { return policy == .open }
    if peer.sources.isEmpty { return false }
    return true
  }

  /// Whether this side waits for the other to dial.
  func waits(for peer: Peer) -> Bool {
    peer.node.map { node < $0 && !peer.isUprooted } ?? false
  }

  func links(of node: NodeID) -> [Link] { links.values.filter { $0.node == node } }
}

extension Peer {
  /// Whether it is known by gossip only, without an announcement.
  fileprivate var isGossip: Bool {
    sources.rawValue & (Sources.announced.rawValue | Sources.stranger.rawValue) == 0
  }
}
