import Cryptography

/// Heartbeats, and the gossip in them.
extension Mesh {
  /// Every two seconds: a heartbeat to each member that does not request it, a knock at some members lost long ago.
  func beat(_ now: Int64) {
    let members = peers.members
    shareClocks(of: members)
    for (position, peer) in members.enumerated() {
      guard let link = peer.link, link.beats.isDue(now) else { continue }
      sendHeartbeat(
        on: link, members, isReminded: agenda.isReminded(position), asks: link.beats.asks, now)
    }
    knockAtLost(now)
  }

  /// Sends ours along with the acknowledgement of the other's, unless it follows ours.
  func answer(on link: Link, _ now: Int64) {
    guard link.beats.takeQuestion(now) else { return }
    let members = peers.members
    let position = members.firstIndex { $0.link === link } ?? 0
    sendHeartbeat(on: link, members, isReminded: agenda.isReminded(position), now)
  }

  /// Keeps the clock to that half of the members whose IDs follow ours, in a ring.
  ///
  /// They do not, having the same members, so each answers as many as answer it. Where two disagree, both keep it or
  /// none: then both send as if alone.
  private func shareClocks(of members: [Peer]) {
    let others = members.compactMap(\.link).sorted { $0.node < $1.node }
    let next = others.firstIndex { $0.node > node } ?? 0
    for (index, link) in others.enumerated() {
      let steps = (index &- next &+ others.count) % others.count + 1
      let back = others.count + 1 - steps
      link.beats.asks = steps == back ? node < link.node : steps < back
    }
  }

  /// Between the rounds, to those who have not been told of everybody.
  func tellNews(_ now: Int64) {
    let members = peers.members
    for peer in members {
      guard let link = peer.link, link.beats.lacks(peers.revision) else { continue }
      sendHeartbeat(on: link, members, isReminded: false, now)
    }
  }

  func sendHeartbeat(
    on link: Link, _ members: [Peer], isReminded: Bool, asks: Bool = false, _ now: Int64
  ) {
    var heartbeat = Heartbeat(memberCount: members.count, asks: asks)
    if link.beats.lacks(peers.revision) {
      let news = link.beats.takeNews(of: members, peers.revision)
      heartbeat.members = news.compactMap { notice(of: $0, for: link) }
      if link.beats.lacks(peers.revision) { agenda.planNews(now) }
    } else if isReminded, let next = link.beats.takeReminder(of: members) {
      heartbeat.members = [notice(of: next, for: link)].compactMap(\.self)
    }
    actions.append(.send(.heartbeat(heartbeat), link.connection))
  }

  private func notice(of peer: Peer, for link: Link) -> NodeRecord? {
    guard let member = peer.member, member.node != link.node else { return nil }
    return NodeRecord(
      node: member.node, instance: member.instance,
      addresses: Array(
        peer.addresses.own.filter { !$0.isLinkLocal }.prefix(Heartbeat.maximumAddresses)))
  }

  /// Handles a member's gossip: it is a reason to connect and nothing more.
  func takeGossip(_ heartbeat: Heartbeat, from link: Link, _ now: Int64) {
    for notice in heartbeat.members.prefix(Heartbeat.maximumMembers) {
      let isNew = peers[notice.node] == nil
      let informant = isNew ? link.node : nil
      guard notice.node != link.node,
        let peer = makePeer(notice.node, .gossiped, informant: informant, now)
      else { continue }
      guard peer.member == nil else { continue }
      peer.addresses.learnHearsay(notice.addresses)
      if peer.rest == .goodbye {
        // Who has not heard the goodbye yet still tells of that run.
        guard notice.instance > ledger.instance(of: notice.node) else { continue }
        peer.rest = .none
      }
      if isNew || (peer.attempt == nil && !peer.backOff.isPlanned) {
        peer.backOff.noteGossipProof(now)
        planDial(peer, now)
      } else {
        proveLifeByGossip(of: peer, now)
      }
    }
  }

  /// Runs each half second while a member is missing.
  func search(_ now: Int64) {
    let missed = peers.all.filter { isLost($0) && isMissed($0, now) }
    guard !missed.isEmpty else { return }
    for turn in agenda.takeSearches(of: missed.count) { knock(missed[turn]) }
    agenda.planSearch(now)
  }

  func knockAtLost(_ now: Int64) {
    let lost = peers.all.filter { isLost($0) && !isMissed($0, now) }
    for turn in agenda.takeKnocks(of: lost.count) { knock(lost[turn]) }
  }

  private func isMissed(_ peer: Peer, _ now: Int64) -> Bool {
    now < peer.lostNanoseconds.saturatingAdding(MeshTimes.missedNanoseconds)
  }

  private func isLost(_ peer: Peer) -> Bool {
    peer.sources.contains(.proven) && peer.member == nil && wants(peer)
  }

  func knock(_ peer: Peer) {
    guard let node = peer.node, !peer.addresses.isEmpty else { return }
    actions.append(.knock(node, peer.addresses.all))
  }
}
