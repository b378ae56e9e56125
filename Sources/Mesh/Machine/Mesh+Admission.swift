import Cryptography

/// Who is let in: policy, invitations, and what the user says.
extension Mesh {
  func takeCommand(_ event: MeshEvent, _ now: Int64) {
    switch event {
    case .accept(let node): letIn(node, now)
    case .decline(let node): decline(node, now)
    case .invite(let node): invite(node, now)
    case .forget(let node): forget(node, now)
    case .block(let node): block(node, now)
    case .policy(let policy):
      self.policy = policy
      judgeAnew(now)
    case .groupsChanged(let proving):
      for link in links.values { prove(link, proving.contains(link.connection)) }
      judgeAnew(now)
    case .describe(let profile): describe(profile)
    case .recording(let isRecording):
      var profile = profile
      profile.isRecording = isRecording
      describe(profile)
    case .share(let key, let listeners): share(key, with: listeners)
    case .retireKeys(let stream, let epoch): streams.retireKeys(of: stream, before: epoch)
    case .endStream(let stream): endStream(stream)
    case .leave: leave(now)
    default: break
    }
  }

  /// Whether the other end is a member as far as we are asked.
  func admitsUnasked(_ link: Link) -> Bool {
    guard !ledger.blocked.contains(link.node) else { return false }
    return link.provesGroup || ledger.trusted.contains(link.node) || policy == .open
  }

  func beInvited(on link: Link, _ now: Int64) {
    link.theyAdmit = true
    guard !link.weAdmit else {
      actions.append(.send(.accept, link.connection))
      if !link.isMember { decide(link, now) }
      return
    }
    invitationNanoseconds.removeAll { now - $0 >= MeshTimes.invitationNanoseconds }
    let isBusy = invitationNanoseconds.count >= MeshLimits.invitations
    guard let hello = link.hello, policy == .ask, !isBusy, link.invitationNanoseconds == nil,
      !declined.contains(link.node, nowNanoseconds: now)
    else {
      return refuse(
        link, words: isBusy ? "too many requests at the moment" : "not admitted",
        isRemembered: !isBusy, now)
    }
    let deadline = now.saturatingAdding(MeshTimes.invitationNanoseconds)
    link.invitationNanoseconds = deadline
    invitationNanoseconds.append(now)
    link.deadlineNanoseconds = deadline
    wake(atNanoseconds: deadline)
    note(.asking, on: link)
    actions.append(
      .invited(
        Invitation(
          node: link.node, profile: hello.profile.seen(at: link.remote),
          deadlineNanoseconds: deadline)))
  }

  func beDeclined(_ decline: Decline, on link: Link, _ now: Int64) {
    let peer = peers[.node(link.node)]
    // Of strangers that call only to decline nobody needs to hear.
    if let peer, !peer.isRefusalTold {
      actions.append(.declined(link.node, words: decline.words))
    }
    if let latest = decline.latestInstance, latest > instance, peer != nil {
      actions.append(.twin(instance: latest, toldBy: link.node, at: nil))
    }
    peer?.isRefusalTold = true
    if link.hasInvited { peer?.hasDeclinedInvitation = true }
    guard !link.isOutdated else { return close(link, .notAdmitted, now) }
    peer?.rest = .declined
    close(link, .notAdmitted, as: .expelled, now)
  }

  /// Says no to a stranger, and for a while to all its further invitations.
  func refuse(_ link: Link, words: String, isRemembered: Bool = true, _ now: Int64) {
    if isRemembered {
      declined.add(
        link.node, instance: link.hello?.instance ?? .max,
        untilNanoseconds: now.saturatingAdding(MeshTimes.declinedNanoseconds))
    }
    peers[.node(link.node)]?.rest = .declined
    actions.append(.send(.decline(Decline(words: words)), link.connection))
    close(link, .notAdmitted, as: .expelled, now)
  }

  func endInvitation(of link: Link) {
    guard link.invitationNanoseconds != nil else { return }
    link.invitationNanoseconds = nil
    actions.append(.invitationEnded(link.node))
  }

  /// Tells also those who are about to become members: they have the former hello.
  private func describe(_ profile: NodeProfile) {
    self.profile = profile
    for link in links.values where !link.isOver { sendHello(on: link) }
  }

  private func letIn(_ node: NodeID, _ now: Int64) {
    guard node != self.node else { return }
    trust(node)
    admitWaiting(node, now)
    guard links(of: node).isEmpty, let peer = peers[.node(node)] else { return }
    peer.sources.insert(.proven)
    planDial(peer, now)
  }

  /// Says yes on connections whose hello did not.
  private func admitWaiting(_ node: NodeID, _ now: Int64) {
    for link in links(of: node) where !link.weAdmit {
      link.weAdmit = true
      actions.append(.send(.accept, link.connection))
      if link.hello != nil { decide(link, now) }
    }
  }

  private func decline(_ node: NodeID, _ now: Int64) {
    for link in links(of: node) where link.invitationNanoseconds != nil {
      refuse(link, words: "declined", now)
    }
  }

  private func invite(_ node: NodeID, _ now: Int64) {
    guard node != self.node else { return }
    trust(node)
    guard let peer = makePeer(node, .configured, now), peer.link == nil else { return }
    admitWaiting(node, now)
    guard peer.attempt == nil, links(of: node).isEmpty else { return }
    peer.nextDialNanoseconds = now
    wake(atNanoseconds: now)
  }

  private func trust(_ node: NodeID) {
    ledger.trust(node)
    declined.remove(node)
    if let peer = peers[.node(node)] {
      if peer.rest == .declined { peer.rest = .none }
      peer.hasDeclinedInvitation = false
      peer.isRefusalTold = false
    }
    actions.append(.store)
  }

  private func forget(_ node: NodeID, _ now: Int64) {
    let wasBlocked = ledger.blocked.contains(node)
    let (addresses, instance) = (ledger.addresses(of: node), ledger.instance(of: node))
    if wasBlocked { ledger.unblock(node) } else { ledger.forget(node) }
    declined.remove(node)
    actions.append(.store)
    if wasBlocked, peers[.node(node)] == nil, !addresses.isEmpty {
      // It does not call who declined it: what was a member is called from here.
      let peer = makePeer(node, .proven, now)
      for address in addresses.reversed() { peer?.learn(address) }
    }
    if !wasBlocked { spreadForgetting(of: node, instance: instance, now) }
    guard let peer = peers[.node(node)] else { return }
    if wasBlocked {
      peer.rest = .none
      peer.failureCount = 0
      return planDial(peer, now)
    }
    peer.sources.subtract([.configured, .proven])
    for link in links(of: node) where !link.provesGroup {
      actions.append(.send(.decline(Decline(words: "forgotten")), link.connection))
      close(link, .forgotten, as: .expelled, now)
    }
    departUnlinked(peer, now)
    if peer.sources.isEmpty, peer.member == nil { remove(peer) }
  }

  private func block(_ node: NodeID, _ now: Int64) {
    guard node != self.node else { return }
    ledger.block(node)
    actions.append(.store)
    for link in links(of: node) {
      actions.append(.send(.decline(Decline(words: "not admitted")), link.connection))
      close(link, .blocked, as: .expelled, now)
    }
    guard let peer = peers[.node(node)] else { return }
    departUnlinked(peer, now)
    peer.sources.subtract([.configured, .proven])
    guard !peer.sources.isEmpty else { return remove(peer) }
    // Where discovery sees it is kept for when it is blocked no more.
    abandonDials(of: peer)
    peer.attempt = nil
    peer.nextDialNanoseconds = .max
    releaseNamed(answeredBy: peer, now)
  }

  private func prove(_ link: Link, _ provesGroup: Bool) {
    link.provesGroup = provesGroup
    guard let peer = peers[.node(link.node)], peer.link === link, let member = makeMember(link),
      peer.member != member
    else { return }
    peer.member = member
    actions.append(.changed(member))
  }

  /// Under other rules: who was declined is tried anew, who would not be let in now is out, and who would be is let in,
  /// also where its hello is still to come.
  private func judgeAnew(_ now: Int64) {
    changeNanoseconds = now
    for peer in peers.values {
      departUnlinked(peer, now)
      tryAnew(peer, now)
      if peer.attempt == nil, peer.nextDialNanoseconds == .max { planDial(peer, now) }
    }
    for link in links.values where !link.isOver {
      link.isOutdated = !link.isMember
      if link.weAdmit, !admitsUnasked(link) {
        actions.append(.send(.decline(Decline(words: "not admitted")), link.connection))
        close(link, .notAdmitted, as: .expelled, now)
      } else if !link.weAdmit, admitsUnasked(link) {
        admitWaiting(link.node, now)
      } else if link.invitationNanoseconds != nil, policy == .groupOnly {
        refuse(link, words: "not admitted", now)
      }
    }
  }

  /// Takes a member out that has no connection at the moment, which would be closed: it may come back and be judged.
  func departUnlinked(_ peer: Peer, _ now: Int64) {
    guard peer.member != nil, peer.link == nil else { return }
    depart(peer, .disconnected, now)
    planDial(peer, now)
  }

  /// Hands a key to the stream's listeners, and tells those that are listeners no more.
  private func share(_ key: MediaKey, with listeners: StreamListeners) {
    guard (0..<MediaKey.maximumStreams).contains(key.stream) else { return }
    let before = streams.share(key, with: listeners)
    for link in links.values where link.isMember {
      let wasListener = before?.contains(link.node) ?? false
      if listeners.contains(link.node) {
        // Who joins an audience now gets what the others have already.
        let keys = wasListener ? [key] : streams.keys(of: link.node, in: key.stream)
        actions += keys.map { .send(.mediaKey($0), link.connection) }
      } else if wasListener {
        actions.append(.send(.streamEnd(StreamEnd(stream: key.stream)), link.connection))
      }
    }
  }

  private func endStream(_ stream: Int) {
    guard let listeners = streams.end(stream) else { return }
    for link in links.values where link.isMember && listeners.contains(link.node) {
      actions.append(.send(.streamEnd(StreamEnd(stream: stream)), link.connection))
    }
  }

  private func leave(_ now: Int64) {
    for link in links.values {
      let goodbye = Goodbye(node: node, instance: instance)
      if link.hello != nil { actions.append(.send(.goodbye(goodbye), link.connection)) }
      actions.append(.close(link.connection, .leaving))
    }
    for link in forsaken.values {
      let goodbye = Goodbye(node: node, instance: instance)
      actions.append(.send(.goodbye(goodbye), link.connection))
    }
    for peer in peers.values {
      abandonDials(of: peer)
      depart(peer, .leaving, now)
    }
    for connection in selves.keys { actions.append(.close(connection, .leaving)) }
    selves = [:]
    (links, peers, attempts, streams) = (OrderedTable(), OrderedTable(), [:], SharedStreams())
    hasLeft = true
    nextDeadlineNanoseconds = .max
  }
}
