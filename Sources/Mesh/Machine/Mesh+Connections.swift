/// Connections from opening to end.
extension Mesh {
  func takeConnection(_ event: MeshEvent, _ now: Int64) {
    switch event {
    case .securing(let id): secure(id, now)
    case .failed(let id): dialFailed(id, now)
    case .dialled(let id, let opened): dialled(id, opened, now)
    case .accepted(let opened): accept(opened, now)
    case .received(let message, let connection):
      if let address = links.takeOurselves(connection) {
        return meetOurselves(message, connection, address)
      }
      if let link = links[connection] ?? reinstate(connection) { receive(message, on: link, now) }
    case .closed(let connection):
      if let address = links.takeOurselves(connection) { actions.append(.ourselves(address)) }
      _ = links.endGivingUp(connection)
      if let link = links[connection] { drop(link, .disconnected, now) }
    case .uprooted(let connection):
      if let link = links[connection] { uproot(link, now) }
    default: break
    }
  }

  private func accept(_ opened: OpenedConnection, _ now: Int64) {
    guard opened.node != node else {
      // The other end, this node or another of its identity, sees by the number of the start which it is.
      let hello = Hello(node: node, instance: instance, profile: profile)
      actions.append(.send(.hello(hello), opened.connection))
      actions.append(.close(opened.connection, .ourselves))
      return
    }
    open(opened, isOurs: false, attempt: 0, now)
  }

  /// Greets whoever is at the other end, unless it is not to be spoken to.
  func open(_ opened: OpenedConnection, isOurs: Bool, attempt: UInt64, _ now: Int64) {
    let link = Link(
      opened, isOurs: isOurs, attempt: attempt,
      deadlineNanoseconds: now.saturatingAdding(MeshTimes.greetingNanoseconds))
    guard links[opened.connection] == nil else { return }
    if let reason = refusal(of: link, now) {
      switch reason {
      case .blocked:
        counters.blocked += 1
        actions.append(.send(.decline(Decline(words: "not admitted")), opened.connection))
      case .flooding: counters.floods += 1
      default: counters.crowded += 1
      }
      actions.append(.close(opened.connection, reason))
      return drop(link, .disconnected, now)
    }
    links.add(link)
    agenda.wake(atNanoseconds: link.deadlineNanoseconds)
    link.consent.isOurs = admitsUnasked(link)
    link.consent.isOutdated = door.changedLately(now)
    link.relocates = isOurs && peers[link.node]?.isUprooted == true
    sendHello(on: link)
  }

  private func refusal(of link: Link, _ now: Int64) -> CloseReason? {
    if ledger.blocked.contains(link.node) { return .blocked }
    // Whether it is a later run than the one that flooded tells its hello,
    // for which one connection at a time is enough.
    let isFlooder = door.isShut(link.node, now)
    if isFlooder, !links.of(link.node).isEmpty { return .flooding }
    let ofNode = links.of(link.node).count
    guard ofNode < MeshLimits.connectionsPerNode,
      link.isOurs || links.all.count < MeshLimits.connections
    else { return .crowded }
    guard isStranger(link) else { return nil }
    let strangers = links.all.count { isStranger($0) && !$0.isMember }
    return strangers < MeshLimits.strangerConnections ? nil : .crowded
  }

  private func isStranger(_ link: Link) -> Bool {
    !link.isOurs && !link.provesGroup && !ledger.trusted.contains(link.node)
  }

  func sendHello(on link: Link) {
    let hello = Hello(
      node: node, instance: instance, profile: profile, attempt: link.isOurs ? link.attempt : 0,
      admits: link.consent.isOurs, relocates: link.relocates)
    actions.append(.send(.hello(hello), link.connection))
  }

  /// Gives a connection up whose own address is gone; who is a member stays one, and has another at once, or is silent.
  private func uproot(_ link: Link, _ now: Int64) {
    guard let peer = peers[link.node], peer.link === link else {
      return close(link, .uprooted, now)
    }
    actions.append(.close(link.connection, .uprooted))
    links.remove(link)
    replaceSoon(of: peer, now)
  }

  /// Gives a member's connection up on which nothing comes, likewise; it is closed once there is another, or the member
  /// departed, as the other end would take its end for the member's.
  ///
  /// Whether it is dead is not known: where something comes on it before there is another, it is in use again.
  func forsake(_ link: Link, of peer: Peer, _ now: Int64) {
    endUprooting(of: peer)
    peer.forsaken = link.connection
    links.giveUp(link)
    replaceSoon(of: peer, now)
  }

  private func replaceSoon(of peer: Peer, _ now: Int64) {
    peer.link = nil
    peer.isUprooted = true
    peer.backOff.plan(atNanoseconds: now)
    agenda.wake(atNanoseconds: now)
  }

  /// The connection that was given up, where there is no other yet: nothing came on it, and now something does.
  private func reinstate(_ connection: ConnectionID) -> Link? {
    guard let link = links.givenUp(connection),
      let peer = peers[link.node], peer.forsaken == connection, peer.link == nil
    else { return nil }
    links.reinstate(link)
    peer.link = link
    (peer.forsaken, peer.isUprooted) = (nil, false)
    peer.backOff.cancel()
    if peer.attempt?.connection == nil {
      abandonDials(of: peer)
      peer.attempt = nil
    }
    return link
  }

  /// A member has a connection again, or is none any more.
  func endUprooting(of peer: Peer) {
    peer.isUprooted = false
    guard let connection = peer.forsaken.take(), links.endGivingUp(connection) else { return }
    actions.append(.close(connection, .uprooted))
  }

  /// Closes a connection; a member that loses it that way departed as `cause` says.
  func close(
    _ link: Link, _ reason: CloseReason, as cause: DepartureReason = .disconnected, _ now: Int64
  ) {
    actions.append(.close(link.connection, reason))
    switch reason {
    case .ghost: counters.ghosts += 1
    case .wrongIdentity: counters.wrongIdentities += 1
    case .late: counters.late += 1
    case .outOfTurn: counters.outOfTurn += 1
    case .duplicate: counters.duplicates += 1
    default: break
    }
    drop(link, cause, now)
  }

  /// What follows from the end of a connection.
  func drop(_ link: Link, _ cause: DepartureReason, _ now: Int64) {
    links.remove(link)
    endInvitation(of: link)
    guard let peer = peers[link.node] else { return }
    if peer.link === link {
      peer.link = nil
      if cause == .disconnected, !links.of(link.node).isEmpty {
        // Another connection is about to take its place; silence bounds the wait.
        return
      }
      if cause == .disconnected || cause == .silent, link.stableNanoseconds != .max {
        countFailure(peer, now)
      }
      depart(peer, cause, now)
    } else if peer.attempt?.connection == link.connection {
      peer.attempt = nil
      if peer.link == nil, peer.rest != .declined { attemptFailed(peer, now) }
    }
    // One that is uprooted tries again, until it was silent for too long.
    let isOver = !peer.isUprooted || cause != .disconnected
    if isOver, peer.member != nil, peer.link == nil, links.of(link.node).isEmpty {
      depart(peer, .disconnected, now)
    }
    planDial(peer, now)
    if peer.rest == .declined { planDialAfterDecline(of: peer, now) }
  }

  /// Takes a member out; what is done next depends on why.
  func depart(_ peer: Peer, _ cause: DepartureReason, _ now: Int64) {
    guard let member = peer.member else { return }
    peer.member = nil
    endUprooting(of: peer)
    switch cause {
    // Who was named may come back to nobody who calls.
    case .goodbye: peer.rest = peer.sources.contains(.configured) ? .none : .goodbye
    case .expelled: peer.rest = .declined
    case .disconnected, .silent, .restarted, .leaving, .flooding:
      peer.lostNanoseconds = now
      agenda.planSearch(now)
    }
    actions.append(.departed(member.node, cause))
    // Of a later run nobody knows yet whether it is let in: what the former had is changed in any case.
    guard cause != .leaving, streams.expose(to: member.node) else { return }
    agenda.planRoll(now)
  }
}
