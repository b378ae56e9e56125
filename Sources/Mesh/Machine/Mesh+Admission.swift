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
      door.policy = policy
      judgeAnew(now)
    case .groupsChanged(let proving):
      for link in links.all { prove(link, proving.contains(link.connection)) }
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
    return link.provesGroup || ledger.trusted.contains(link.node) || door.policy == .open
  }

  func beInvited(on link: Link, _ now: Int64) {
    link.consent.isTheirs = true
    guard !link.consent.isOurs else {
      actions.append(.send(.accept, link.connection))
      if !link.isMember { decide(link, now) }
      return
    }
    let isBusy = door.isBusy(now)
    guard let hello = link.hello, door.policy == .ask, !isBusy, !link.consent.isInvited,
      !door.isDeclined(link.node, now)
    else {
      return refuse(
        link, words: isBusy ? "too many requests at the moment" : "not admitted",
        isRemembered: !isBusy, now)
    }
    let deadline = now.saturatingAdding(MeshTimes.invitationNanoseconds)
    link.consent.beInvited()
    door.noteInvitation(now)
    link.deadlineNanoseconds = deadline
    agenda.wake(atNanoseconds: deadline)
    note(.asking, on: link)
    actions.append(
      .invited(
        Invitation(
          node: link.node, profile: hello.profile.seen(at: link.remote),
          deadlineNanoseconds: deadline)))
  }

  func beDeclined(_ decline: Decline, on link: Link, _ now: Int64) {
    let peer = peers[link.node]
    // Of strangers that call only to decline nobody needs to hear.
    if let peer, peer.refusal.tell() {
      actions.append(.declined(link.node, words: decline.words))
    }
    if let latest = decline.latestInstance, latest > instance, peer != nil {
      actions.append(.twin(instance: latest, toldBy: link.node, at: nil))
    }
    if link.consent.hasInvited { peer?.refusal.declineInvitation() }
    guard !link.consent.isOutdated else { return close(link, .notAdmitted, now) }
    peer?.rest = .declined
    close(link, .notAdmitted, as: .expelled, now)
  }

  /// Says no to a stranger, and for a while to all its further invitations.
  func refuse(_ link: Link, words: String, isRemembered: Bool = true, _ now: Int64) {
    if isRemembered {
      door.decline(link.node, instance: link.hello?.instance ?? .max, now)
    }
    peers[link.node]?.rest = .declined
    actions.append(.send(.decline(Decline(words: words)), link.connection))
    close(link, .notAdmitted, as: .expelled, now)
  }

  func endInvitation(of link: Link) {
    if link.consent.endInvitation() { actions.append(.invitationEnded(link.node)) }
  }

  /// Tells also those who are about to become members: they have the former hello.
  private func describe(_ profile: NodeProfile) {
    self.profile = profile
    for link in links.all where !link.isOver { sendHello(on: link) }
  }

  private func letIn(_ node: NodeID, _ now: Int64) {
    guard node != self.node else { return }
    trust(node)
    admitWaiting(node, now)
    guard links.of(node).isEmpty, let peer = peers[node] else { return }
    peer.sources.insert(.proven)
    planDial(peer, now)
  }

  /// Says yes on connections whose hello did not.
  private func admitWaiting(_ node: NodeID, _ now: Int64) {
    for link in links.of(node) where !link.consent.isOurs {
      link.consent.isOurs = true
      actions.append(.send(.accept, link.connection))
      if link.hello != nil { decide(link, now) }
    }
  }

  private func decline(_ node: NodeID, _ now: Int64) {
    for link in links.of(node) where link.consent.isInvited {
      refuse(link, words: "declined", now)
    }
  }

  private func invite(_ node: NodeID, _ now: Int64) {
    guard node != self.node else { return }
    trust(node)
    guard let peer = makePeer(node, .configured, now), peer.link == nil else { return }
    admitWaiting(node, now)
    guard peer.attempt == nil, links.of(node).isEmpty else { return }
    peer.backOff.plan(atNanoseconds: now)
    agenda.wake(atNanoseconds: now)
  }

  private func trust(_ node: NodeID) {
    ledger.trust(node)
    door.hearAgain(node)
    if let peer = peers[node] {
      if peer.rest == .declined { peer.rest = .none }
      peer.refusal.forgive()
    }
    actions.append(.store)
  }

  private func forget(_ node: NodeID, _ now: Int64) {
    let wasBlocked = ledger.blocked.contains(node)
    let (addresses, instance) = (ledger.addresses(of: node), ledger.instance(of: node))
    if wasBlocked { ledger.unblock(node) } else { ledger.forget(node) }
    door.hearAgain(node)
    actions.append(.store)
    if wasBlocked, peers[node] == nil, !addresses.isEmpty {
      // It does not call who declined it: what was a member is called from here.
      makePeer(node, .proven, now)?.addresses.learn(addresses)
    }
    if !wasBlocked { spreadForgetting(of: node, instance: instance, now) }
    guard let peer = peers[node] else { return }
    if wasBlocked {
      peer.rest = .none
      peer.backOff.forgetFailures()
      return planDial(peer, now)
    }
    peer.sources.subtract([.configured, .proven])
    for link in links.of(node) where !link.provesGroup {
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
    for link in links.of(node) {
      actions.append(.send(.decline(Decline(words: "not admitted")), link.connection))
      close(link, .blocked, as: .expelled, now)
    }
    guard let peer = peers[node] else { return }
    departUnlinked(peer, now)
    peer.sources.subtract([.configured, .proven])
    guard !peer.sources.isEmpty else { return remove(peer) }
    // Where discovery sees it is kept for when it is blocked no more.
    abandonDials(of: peer)
    peer.attempt = nil
    peer.backOff.cancel()
    releaseNamed(answeredBy: peer, now)
  }

  private func prove(_ link: Link, _ provesGroup: Bool) {
    link.provesGroup = provesGroup
    guard let peer = peers[link.node], peer.link === link, let member = link.asMember,
      peer.member != member
    else { return }
    peer.member = member
    actions.append(.changed(member))
  }

  /// Under other rules: who was declined is tried anew, who would not be let in now is out, and who would be is let in,
  /// also where its hello is still to come.
  private func judgeAnew(_ now: Int64) {
    door.noteChange(now)
    for peer in peers.all {
      departUnlinked(peer, now)
      tryAnew(peer, now)
      if peer.attempt == nil, !peer.backOff.isPlanned { planDial(peer, now) }
    }
    for link in links.all where !link.isOver {
      link.consent.isOutdated = !link.isMember
      if link.consent.isOurs, !admitsUnasked(link) {
        actions.append(.send(.decline(Decline(words: "not admitted")), link.connection))
        close(link, .notAdmitted, as: .expelled, now)
      } else if !link.consent.isOurs, admitsUnasked(link) {
        admitWaiting(link.node, now)
      } else if link.consent.isInvited, door.policy == .groupOnly {
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
    for link in links.all where link.isMember {
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
    for link in links.all where link.isMember && listeners.contains(link.node) {
      actions.append(.send(.streamEnd(StreamEnd(stream: stream)), link.connection))
    }
  }

  private func leave(_ now: Int64) {
    for link in links.all {
      let goodbye = Goodbye(node: node, instance: instance)
      if link.hello != nil { actions.append(.send(.goodbye(goodbye), link.connection)) }
      actions.append(.close(link.connection, .leaving))
    }
    for link in links.givenUp {
      let goodbye = Goodbye(node: node, instance: instance)
      actions.append(.send(.goodbye(goodbye), link.connection))
    }
    for peer in peers.all {
      abandonDials(of: peer)
      depart(peer, .leaving, now)
    }
    for connection in links.toOurselves { actions.append(.close(connection, .leaving)) }
    (links, peers, dials, streams) = (LinkTable(), PeerTable(), DialTable(), SharedStreams())
    hasLeft = true
    agenda.clearDeadline()
  }
}
