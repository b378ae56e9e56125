import Cryptography

/// Heartbeats, and the gossip in them.
extension Mesh {
  /// Every two seconds: a heartbeat to each member that does not request it, a knock at some members lost long ago.
  func beat(_ now: Int64) {
    nextRoundNanoseconds = now.saturatingAdding(MeshTimes.heartbeatNanoseconds)
    roundCount &+= 1
    let members = membersByRevision()
    shareClocks(of: members)
    for (position, peer) in members.enumerated() {
      guard let link = peer.link,
        link.keepsClock || now - link.answeredNanoseconds > MeshTimes.awaitNanoseconds
      else { continue }
      sendHeartbeat(
        on: link, members, isReminded: isReminded(position), asks: link.keepsClock, now)
    }
    knockAtLost(now)
  }

  /// Sends ours along with the acknowledgement of the other's, unless it follows ours.
  func answer(on link: Link, _ now: Int64) {
    guard !link.keepsClock, now - link.answeredNanoseconds >= MeshTimes.answerNanoseconds else {
      return
    }
    link.answeredNanoseconds = now
    let members = membersByRevision()
    let position = members.firstIndex { $0.link === link } ?? 0
    sendHeartbeat(on: link, members, isReminded: isReminded(position), now)
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
      link.keepsClock = steps == back ? node < link.node : steps < back
    }
  }

  private func isReminded(_ position: Int) -> Bool {
    (roundCount &+ position) % MeshLimits.reminderRounds == 0
  }

  /// Between the rounds, to those who have not been told of everybody.
  func tellNews(_ now: Int64) {
    newsNanoseconds = .max
    let members = membersByRevision()
    for peer in members {
      guard let link = peer.link, link.toldRevision < revision else { continue }
      sendHeartbeat(on: link, members, isReminded: false, now)
    }
  }

  func membersByRevision() -> [Peer] {
    peers.values.filter { $0.member != nil }.sorted { $0.revision < $1.revision }
  }

  func sendHeartbeat(
    on link: Link, _ members: [Peer], isReminded: Bool, asks: Bool = false, _ now: Int64
  ) {
    var heartbeat = Heartbeat(memberCount: members.count, asks: asks)
    if link.toldRevision < revision {
      let news = members.filter { $0.revision > link.toldRevision }
      let told = news.prefix(Heartbeat.maximumMembers)
      let isAll = told.count == news.count
      link.toldRevision = isAll ? revision : told.last?.revision ?? revision
      heartbeat.members = told.compactMap { notice(of: $0, for: link) }
      if !isAll {
        newsNanoseconds = min(newsNanoseconds, now.saturatingAdding(MeshTimes.newsNanoseconds))
        wake(atNanoseconds: newsNanoseconds)
      }
    } else if isReminded {
      let next = members.first { $0.revision > link.remindedRevision } ?? members.first
      link.remindedRevision = next?.revision ?? 0
      if let next, let notice = notice(of: next, for: link) { heartbeat.members = [notice] }
    }
    actions.append(.send(.heartbeat(heartbeat), link.connection))
  }

  private func notice(of peer: Peer, for link: Link) -> Heartbeat.Notice? {
    guard let member = peer.member, member.node != link.node else { return nil }
    return Heartbeat.Notice(
      node: member.node, instance: member.instance,
      addresses: Array(
        peer.addresses.filter { !$0.isLinkLocal }.prefix(Heartbeat.Notice.maximumAddresses)))
  }

  /// Sends all members with the next heartbeat where the other has had fewer than we do for a while.
  ///
  /// It does the same. Once for each difference, as it may last: not everybody can be reached by everybody.
  func compare(_ heartbeat: Heartbeat, on link: Link, _ now: Int64) {
    let (theirs, ours) = (heartbeat.memberCount, peers.values.count { $0.member != nil })
    // A member has us at least: who says nothing has no count.
    guard theirs > 0, theirs != ours else { return link.difference = nil }
    guard let known = link.difference, known.theirs == theirs, known.ours == ours else {
      link.difference = (theirs, ours, now, false)
      return
    }
    guard !known.isTold, now - known.sinceNanoseconds >= MeshTimes.differenceNanoseconds else {
      return
    }
    link.difference?.isTold = true
    link.toldRevision = 0
  }

  /// Handles a member's gossip: it is a reason to connect and nothing more.
  func takeGossip(_ heartbeat: Heartbeat, from link: Link, _ now: Int64) {
    for notice in heartbeat.members.prefix(Heartbeat.maximumMembers) {
      let isNew = peers[.node(notice.node)] == nil
      let informant = isNew ? link.node : nil
      guard notice.node != link.node,
        let peer = makePeer(notice.node, .gossiped, informant: informant, now)
      else { continue }
      guard peer.member == nil else { continue }
      for address in notice.addresses.reversed() { peer.learnHearsay(address) }
      if peer.rest == .goodbye {
        // Who has not heard the goodbye yet still tells of that run.
        guard notice.instance > ledger.instance(of: notice.node) else { continue }
        peer.rest = .none
      }
      if isNew || (peer.attempt == nil && peer.nextDialNanoseconds == .max) {
        peer.gossipProofNanoseconds = now
        planDial(peer, now)
      } else {
        proveLifeByGossip(of: peer, now)
      }
    }
  }

  /// Runs each half second while a member is missing.
  func search(_ now: Int64) {
    searchNanoseconds = .max
    let missed = peers.values.filter { isLost($0) && isMissed($0, now) }
    guard !missed.isEmpty else { return }
    knock(at: missed, MeshLimits.searches, from: &nextSearch)
    searchNanoseconds = now.saturatingAdding(MeshTimes.searchNanoseconds)
  }

  func knockAtLost(_ now: Int64) {
    let lost = peers.values.filter { isLost($0) && !isMissed($0, now) }
    knock(at: lost, MeshLimits.knocks, from: &nextKnock)
  }

  /// Some of the lost members each round, all of them in turn.
  private func knock(at lost: [Peer], _ most: Int, from next: inout Int) {
    guard !lost.isEmpty else { return }
    let count = min(lost.count, most)
    for offset in 0..<count { knock(lost[(next &+ offset) % lost.count]) }
    next = (next &+ count) % lost.count
  }

  private func isMissed(_ peer: Peer, _ now: Int64) -> Bool {
    now < peer.lostNanoseconds.saturatingAdding(MeshTimes.missedNanoseconds)
  }

  private func isLost(_ peer: Peer) -> Bool {
    peer.sources.contains(.proven) && peer.member == nil && wants(peer)
  }

  func knock(_ peer: Peer) {
    guard let node = peer.node, !peer.allAddresses.isEmpty else { return }
    actions.append(.knock(node, peer.allAddresses))
  }
}
