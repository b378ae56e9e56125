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
    if let known = peers[node] {
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
    peers.add(peer)
    agenda.wake(atNanoseconds: now.saturatingAdding(MeshTimes.hearsayNanoseconds))
    return peer
  }

  /// Makes room for a peer, or tells that there is none.
  private func makeRoom(for peer: Peer) -> Bool {
    switch peers.room(for: peer, isTrusted: isTrusted) {
    case .free: return true
    case .instead(let other):
      remove(other)
      return true
    case .none: return false
    }
  }

  private func isTrusted(_ peer: Peer) -> Bool {
    peer.node.map(ledger.trusted.contains) ?? false
  }

  /// Whether a node can be a member; where there are as many as may be,
  /// whom the user trusts takes the place of who came last.
  func makePlace(for node: NodeID, _ now: Int64) -> Bool {
    let members = peers.members
    guard members.count >= MeshLimits.members, peers[node]?.member == nil else { return true }
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
    peer.backOff.cancel()
    peers.remove(peer)
    releaseNamed(answeredBy: peer, latestNanoseconds)
  }

  /// Whether a connection to it would be useful.
  func wants(_ peer: Peer) -> Bool {
    guard peer.rest == .none, peer.link == nil else { return false }
    guard let node = peer.node else {
      // Somebody answered there, who is now a peer of its own.
      let answered = peer.answeredBy.flatMap { peers[$0] }
      return answered == nil || answered?.rest == .declined
    }
    if ledger.blocked.contains(node) { return false }
    if peer.sources == .stranger { return door.policy == .open }
    if peer.sources.isEmpty { return false }
    return true
  }

  /// Whether this side waits for the other to dial.
  func waits(for peer: Peer) -> Bool {
    peer.node.map { node < $0 && !peer.isUprooted } ?? false
  }
}
