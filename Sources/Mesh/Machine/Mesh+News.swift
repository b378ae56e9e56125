import Cryptography

/// News about peers, from the user and from others.
extension Mesh {
  func takeNews(_ event: MeshEvent, _ now: Int64) {
    switch event {
    case .discovered(let announcement): discover(announcement, now)
    case .lost(let node): lose(node)
    case .named(let number, let addresses): name(number, addresses, now)
    case .unnamed(let number): unname(number)
    case .resolved(let target, let addresses): resolve(target, addresses, now)
    case .knocked(let node): hearKnock(of: node, now)
    case .sounded(let node, let nanoseconds): hearSound(of: node, nanoseconds, now)
    case .networkChanged: changeNetwork(now)
    default: break
    }
  }

  private func discover(_ announcement: Announcement, _ now: Int64) {
    let isOne = announcement.sharesGroup || ledger.trusted.contains(announcement.node)
    let known = peers[announcement.node]
    if isOne, let known, known.rest == .declined,
      !known.sources.contains(.announced)
        || now - known.refusal.declinedNanoseconds >= MeshTimes.announcedRestNanoseconds
    {
      // It has a group in common with us since a moment, or may have changed its mind.
      known.rest = .none
    }
    // Where a blocked node is counts once it is blocked no more.
    let source = isOne ? Peer.Sources.announced : .stranger
    guard let peer = makePeer(announcement.node, source, evenBlocked: true, now) else { return }
    peer.addresses.learnHearsay(announcement.addresses)
    if peer.rest == .goodbye { peer.rest = .none }
    proveLife(of: peer, now)
  }

  private func lose(_ node: NodeID) {
    guard let peer = peers[node] else { return }
    peer.sources.subtract([.announced, .stranger])
    if peer.sources.isEmpty, peer.member == nil { remove(peer) }
  }

  private func name(_ number: Int, _ addresses: [NodeAddress], _ now: Int64) {
    let target = PeerTarget.named(number)
    guard peers[target] != nil || peers.hasRoomForNamed else { return }
    let peer = peers[target] ?? Peer(target: target, sources: .configured, nowNanoseconds: now)
    peers.add(peer)
    peer.addresses.learn(addresses)
    if let answered = peer.answeredBy.flatMap({ peers[$0] }), answered.rest != .none {
      answered.rest = .none
      planDial(answered, now)
    }
    planDial(peer, now)
  }

  private func unname(_ number: Int) {
    guard let peer = peers[.named(number)] else { return }
    if let answered = peer.answeredBy.flatMap({ peers[$0] }) {
      answered.sources.remove(.configured)
      if answered.sources.isEmpty, answered.member == nil { remove(answered) }
    }
    remove(peer)
  }

  private func resolve(_ target: PeerTarget, _ addresses: [NodeAddress], _ now: Int64) {
    guard let peer = peers[target] else { return }
    if peer.node == nil {
      peer.addresses.learn(addresses)
    } else {
      peer.addresses.learnHearsay(addresses)
    }
    guard peer.attempt?.progress == .resolving else { return }
    peer.attempt?.take(peer.addresses.all)
    dialNext(peer, now)
  }

  private func hearKnock(of node: NodeID, _ now: Int64) {
    guard let peer = peers[node], peer.rest != .declined else { return }
    if let link = peer.link {
      guard peer.backOff.takeProof(now) else { return }
      guard !peer.isStalled(now) else { return forsake(link, of: peer, now) }
      return sendHeartbeat(on: link, peers.members, isReminded: false, now)
    }
    peer.rest = .none
    if proveLife(of: peer, now), waits(for: peer) { knock(peer) }
  }

  private func hearSound(of node: NodeID, _ nanoseconds: Int64, _ now: Int64) {
    peers[node]?.signs.sound(nanoseconds, now)
  }

  /// All waits end, attempts start again from this side's new addresses.
  private func changeNetwork(_ now: Int64) {
    for peer in peers.all {
      peer.backOff.forgetFailures()
      if peer.isStalled(now) {
        peer.signs.reprieve(now)
        if let link = peer.link { forsake(link, of: peer, now) }
      }
      guard peer.link == nil else { continue }
      if peer.attempt?.connection == nil {
        abandonDials(of: peer)
        peer.attempt = nil
      }
      if peer.rest == .declined, peer.sources.contains(.configured) { peer.rest = .none }
      planDial(peer, now)
    }
    // Which connections are dead shows only where something is sent.
    for link in links.all { link.beats.forgetAnswer() }
    // Who is to dial us knows nothing of the change.
    agenda.hurry(now)
  }

  /// Ends the back-off of a peer that seems to be up; false where there is none to end, or it was done a moment ago.
  @discardableResult
  func proveLife(of peer: Peer, _ now: Int64) -> Bool {
    guard wants(peer), peer.backOff.takeProof(now) else { return false }
    if peer.attempt == nil { hasten(peer, now) } else { dialBeside(peer, now) }
    return true
  }

  /// The same for gossip.
  func proveLifeByGossip(of peer: Peer, _ now: Int64) {
    guard wants(peer), peer.attempt == nil, peer.backOff.takeGossipProof(now) else { return }
    hasten(peer, now)
  }
}
