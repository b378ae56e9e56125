/// What the others say.
extension Mesh {
  func receive(_ message: Message, on link: Link, _ now: Int64) {
    guard link.messages.take(nowNanoseconds: now) else { return endFlood(on: link, now) }
    switch message {
    // The connection's own: whoever holds it has judged them.
    case .unknown, .challenge, .groupProof, .lane: return
    default: break
    }
    if link.isMember { peers[link.node]?.signs.hear(now) }
    if case .hello(let hello) = message {
      if link.hello == nil { greet(hello, on: link, now) } else { renew(hello, on: link, now) }
      return
    }
    guard link.hello != nil else {
      if case .decline(let decline) = message { return beDeclined(decline, on: link, now) }
      return close(link, .outOfTurn, now)
    }
    switch message {
    case .invite: beInvited(on: link, now)
    case .accept:
      link.consent.isTheirs = true
      if !link.isMember { decide(link, now) }
    case .decline(let decline): beDeclined(decline, on: link, now)
    case .goodbye(let goodbye): bidFarewell(goodbye, on: link, now)
    case .heartbeat(let heartbeat):
      guard link.isMember else { return close(link, .outOfTurn, now) }
      takeGossip(heartbeat, from: link, now)
      link.beats.compare(theirs: heartbeat.memberCount, ours: peers.memberCount, now)
      if heartbeat.asks { answer(on: link, now) }
    case .mediaKey(let key):
      guard link.isMember else { return close(link, .outOfTurn, now) }
      actions.append(.mediaKey(link.node, key))
    case .streamEnd(let end):
      guard link.isMember else { return close(link, .outOfTurn, now) }
      actions.append(.streamEnded(link.node, end.stream))
    case .forgotten(let forgotten):
      guard link.isMember else { return close(link, .outOfTurn, now) }
      takeForgotten(forgotten, from: link, now)
    case .twin(let twin):
      guard link.isMember else { return close(link, .outOfTurn, now) }
      guard twin.instance != instance, isBelieved(link) else { return }
      actions.append(.twin(instance: twin.instance, toldBy: link.node, at: nil))
    case .hello, .challenge, .groupProof, .lane, .unknown: break
    }
  }

  /// Whoever says more than any node has to is not listened to for a while, by whichever connection.
  private func endFlood(on link: Link, _ now: Int64) {
    counters.floods += 1
    door.shut(
      link.node, instance: max(link.hello?.instance ?? 0, ledger.instance(of: link.node)), now)
    for other in links.of(link.node) {
      let words = "more than \(MeshLimits.messagesPerSecond) messages a second"
      actions.append(.send(.decline(Decline(words: words)), other.connection))
      close(other, .flooding, as: .flooding, now)
    }
  }

  /// The first hello must name the node that the connection proved, and its living run.
  private func greet(_ hello: Hello, on link: Link, _ now: Int64) {
    guard hello.node == link.node else { return close(link, .wrongIdentity, now) }
    let peer = peers[link.node]
    let known = max(ledger.instance(of: link.node), peer?.member?.instance ?? 0)
    guard hello.instance >= known else { return exorcise(hello, on: link, known: known, now) }
    door.hearAgain(link.node, before: hello.instance)
    guard door.opens(to: link.node, instance: hello.instance, now) else {
      counters.floods += 1
      return close(link, .flooding, now)
    }
    link.hello = hello
    link.consent.isTheirs = hello.admits
    if !link.isOurs { (link.attempt, link.relocates) = (hello.attempt, hello.relocates) }
    if let peer, known > 0, hello.instance > known { replace(peer, by: hello.instance, now) }
    decide(link, now)
  }

  /// Turns an earlier start away; it and the later one are told, as who copied a state directory has two nodes of one
  /// identity.
  private func exorcise(_ hello: Hello, on link: Link, known: UInt64, _ now: Int64) {
    let decline = Decline(words: Self.twinWords, latestInstance: known)
    actions.append(.send(.decline(decline), link.connection))
    close(link, .ghost, now)
    guard let living = peers[link.node]?.link, living.isMember,
      now - living.twinNanoseconds >= MeshTimes.twinNanoseconds
    else { return }
    living.twinNanoseconds = now
    actions.append(.send(.twin(Twin(instance: hello.instance)), living.connection))
  }

  /// Within the 63 octets of a text.
  static let twinWords = "this identity runs twice (copied card?): comlink id new on one"

  /// A later run: whatever the old one left ends at once.
  private func replace(_ peer: Peer, by instance: UInt64, _ now: Int64) {
    peer.backOff.forgetFailures()
    peer.rest = .none
    for old in links.all where .node(old.node) == peer.target {
      guard let hello = old.hello, hello.instance < instance else { continue }
      close(old, .replaced, as: .restarted, now)
    }
    depart(peer, .restarted, now)
  }

  /// A later hello tells a new profile.
  private func renew(_ hello: Hello, on link: Link, _ now: Int64) {
    guard hello.node == link.node, hello.instance == link.hello?.instance else {
      counters.outOfTurn += 1
      return
    }
    link.hello?.profile = hello.profile
    guard link.isMember, let peer = peers[link.node] else { return }
    guard let member = link.asMember, peer.member != member else { return }
    peer.member = member
    learnAddresses(of: peer, member)
    actions.append(.changed(member))
  }

  private func bidFarewell(_ goodbye: Goodbye, on link: Link, _ now: Int64) {
    guard goodbye.node == link.node, goodbye.instance == link.hello?.instance else {
      counters.outOfTurn += 1
      return
    }
    close(link, .goodbye, as: .goodbye, now)
  }

  /// Goes on where both have said who they are and one of them may have said yes.
  func decide(_ link: Link, _ now: Int64) {
    switch (link.consent.isOurs, link.consent.isTheirs) {
    case (true, true): join(link, now)
    case (true, false):
      guard !link.consent.hasInvited else { return }
      if let peer = peers[link.node], peer.refusal.isOfInvitation {
        peer.rest = .declined
        return close(link, .notAdmitted, now)
      }
      link.consent.invite()
      link.deadlineNanoseconds = now.saturatingAdding(MeshTimes.watchdogNanoseconds)
      agenda.wake(atNanoseconds: link.deadlineNanoseconds)
      note(.asking, on: link)
      actions.append(.send(.invite, link.connection))
    case (false, true): note(.asking, on: link)
    case (false, false):
      guard !link.consent.isOutdated else { return close(link, .notAdmitted, now) }
      if let peer = peers[link.node], peer.sources.contains(.configured),
        let hello = link.hello, peer.refusal.tell()
      {
        actions.append(.stranger(link.node, hello.profile.seen(at: link.remote)))
      }
      peers[link.node]?.rest = .declined
      close(link, .notAdmitted, now)
    }
  }

  /// Shows progress; the attempt's watchdog goes on.
  func note(_ progress: DialProgress, on link: Link) {
    guard let peer = peers[link.node],
      peer.attempt?.connection == link.connection
    else { return }
    peer.attempt?.progress = progress
  }

  /// Makes the other end a member, or its connection that of the member it is.
  private func join(_ link: Link, _ now: Int64) {
    guard let member = link.asMember else { return }
    guard makePlace(for: link.node, now), let peer = makePeer(link.node, .proven, now)
    else { return close(link, .crowded, now) }
    if let old = peer.link {
      guard replaces(link, old, now) else { return close(link, .duplicate, now) }
      peer.link = link
      close(old, .duplicate, now)
    }
    endInvitation(of: link)
    use(link, for: peer, now)
    let before = peer.member
    peer.member = member
    learnAddresses(of: peer, member)
    let entry = NodeRecord(
      node: link.node, instance: member.instance, addresses: peer.addresses.own)
    let isAnew = ledger.endForgetting(link.node, before: member.instance)
    if ledger.note(entry) || isAnew { actions.append(.store) }
    if before == nil {
      peers.admit(peer)
      actions.append(.admitted(member))
    } else if before != member {
      actions.append(.changed(member))
    }
    for key in streams.keys(of: link.node) {
      actions.append(.send(.mediaKey(key), link.connection))
    }
    tellForgotten(on: link)
    agenda.planNews(now)
  }

  private func use(_ link: Link, for peer: Peer, _ now: Int64) {
    peer.link = link
    endUprooting(of: peer)
    (link.relocates, link.relocatedNanoseconds) = (false, link.relocates ? now : .min / 2)
    peer.rest = .none
    peer.refusal.forgive()
    peer.signs.hear(now)
    peer.backOff.cancel()
    if peer.attempt?.connection == nil || peer.attempt?.connection == link.connection {
      abandonDials(of: peer)
      peer.attempt = nil
    }
    (link.isMember, link.consent.isOutdated) = (true, false)
    actions.append(.raise(link.connection))
    link.deadlineNanoseconds = .max
    link.stableNanoseconds = now.saturatingAdding(MeshTimes.stableNanoseconds)
    agenda.wake(atNanoseconds: link.stableNanoseconds)
    agenda.wake(atNanoseconds: now.saturatingAdding(MeshTimes.listenNanoseconds))
  }

  /// Which of two connections of one pair stays: both ends know what this looks at,
  /// but for moments near `crossingNanoseconds`.
  ///
  /// That of a dialler who lost those before takes their place, whoever dialled them; where both lost them, at once,
  /// the rule is that for others.
  private func replaces(_ link: Link, _ old: Link, _ now: Int64) -> Bool {
    let isCrossing = now - old.relocatedNanoseconds < MeshTimes.crossingNanoseconds
    if link.relocates, !isCrossing { return true }
    let isByHigher = link.isOurs == (node > link.node)
    let wasByHigher = old.isOurs == (node > old.node)
    return isByHigher == wasByHigher ? link.attempt > old.attempt : isByHigher
  }

  private func learnAddresses(of peer: Peer, _ member: Member) {
    peer.addresses.learn(member.profile.controlAddresses)
  }
}
