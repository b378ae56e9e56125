import Cryptography

/// The way to a peer: when, to which address, and what after a failure.
extension Mesh {
  /// Sets when the next attempt begins, by the failures so far.
  func planDial(_ peer: Peer, _ now: Int64) {
    guard wants(peer), peer.attempt == nil else {
      if peer.attempt == nil { peer.nextDialNanoseconds = .max }
      return
    }
    let again = now.saturatingAdding(
      wait(after: peer.failureCount, isWaiting: waits(for: peer)))
    peer.nextDialNanoseconds = max(again, peer.node.flatMap { flooders.end(of: $0) } ?? again)
    wake(atNanoseconds: peer.nextDialNanoseconds)
  }

  /// Brings the next attempt forward as if nothing had failed.
  func hasten(_ peer: Peer, _ now: Int64) {
    if let node = peer.node, flooders.contains(node, nowNanoseconds: now) { return }
    let soon = now.saturatingAdding(wait(after: 0, isWaiting: waits(for: peer)))
    peer.nextDialNanoseconds = min(peer.nextDialNanoseconds, soon)
    wake(atNanoseconds: peer.nextDialNanoseconds)
  }

  /// A decline ends the attempts, but for whom the user named: there it is a wait.
  ///
  /// The static address is called then, where by now another node may answer; without one the node.
  func planDialAfterDecline(of peer: Peer, _ now: Int64) {
    peer.declinedNanoseconds = now
    guard peer.sources.contains(.configured), peer.link == nil, let node = peer.node else { return }
    let again = now.saturatingAdding(MeshTimes.namedRestNanoseconds)
    let named = peers.values.filter { $0.answeredBy == node }
    for called in named.isEmpty ? [peer] : named where called.attempt == nil {
      called.nextDialNanoseconds = again
    }
    wake(atNanoseconds: again)
  }

  /// Ends the rest of a peer after a decline.
  func tryAnew(_ peer: Peer, _ now: Int64) {
    guard peer.rest == .declined else { return }
    peer.rest = .none
    planDial(peer, now)
  }

  private func wait(after failureCount: Int, isWaiting: Bool) -> Int64 {
    let factor = isWaiting ? MeshTimes.waitingFactor : 1
    guard failureCount > 0 else {
      let base = isWaiting ? MeshTimes.dialNanoseconds * factor : 0
      return base + jitter(MeshTimes.spreadNanoseconds)
    }
    let base = MeshTimes.backOffNanoseconds << Int64(min(failureCount - 1, 6))
    let longest = min(base * factor, MeshTimes.longestBackOffNanoseconds)
    return longest - jitter(longest / 4)
  }

  /// Begins the attempt that is due.
  func beginAttempt(_ peer: Peer, _ now: Int64) {
    peer.nextDialNanoseconds = .max
    if peer.rest == .declined, peer.sources.contains(.configured) { peer.rest = .none }
    guard wants(peer), peer.attempt == nil else { return }
    let isBeingGreeted = peer.node.map { !links(of: $0).isEmpty } ?? false
    let isCrowded =
      peer.isHearsay
      && peers.values.count { $0.isHearsay && $0.attempt != nil } >= MeshLimits.unprovenAttempts
    guard !isBeingGreeted, !isCrowded else {
      peer.nextDialNanoseconds = now.saturatingAdding(MeshTimes.nextAddressNanoseconds)
      return wake(atNanoseconds: peer.nextDialNanoseconds)
    }
    let deadline = now.saturatingAdding(MeshTimes.resolvingNanoseconds)
    peer.attempt = Attempt(
      deadlineNanoseconds: deadline,
      watchdogNanoseconds: now.saturatingAdding(MeshTimes.watchdogNanoseconds),
      progress: .resolving)
    peer.attempt?.take(peer.allAddresses)
    guard peer.allAddresses.isEmpty else { return dialNext(peer, now) }
    actions.append(.resolve(peer.target))
    wake(atNanoseconds: deadline)
  }

  /// Tries the next address beside those under way; without any the attempt failed.
  func dialNext(_ peer: Peer, _ now: Int64) {
    guard var attempt = peer.attempt else { return }
    guard let address = attempt.nextAddress() else {
      attempt.nextAddressNanoseconds = .max
      peer.attempt = attempt
      if attempt.dials.isEmpty, attempt.connection == nil { attemptFailed(peer, now) }
      return
    }
    attemptCount += 1
    let id = AttemptID(rawValue: attemptCount)
    attempts[id] = peer
    attempt.dials.append(Attempt.Dial(id: id, address: address))
    attempt.progress = attempt.connecting
    attempt.nextAddressNanoseconds =
      attempt.remaining.isEmpty
      ? .max : now.saturatingAdding(MeshTimes.nextAddressNanoseconds)
    attempt.deadlineNanoseconds = now.saturatingAdding(MeshTimes.connectingNanoseconds)
    wake(atNanoseconds: min(attempt.nextAddressNanoseconds, attempt.deadlineNanoseconds))
    peer.attempt = attempt
    actions.append(.dial(id, address))
  }

  /// Tries all addresses again beside what hangs: a connection begun while the path was cut sends
  /// its next packet only after seconds.
  func dialBeside(_ peer: Peer, _ now: Int64) {
    guard case .connecting? = peer.attempt?.progress, let attempt = peer.attempt,
      attempt.remaining.isEmpty, attempt.dials.count <= MeshLimits.addresses
    else { return }
    peer.attempt?.take(peer.allAddresses)
    dialNext(peer, now)
  }

  func secure(_ id: AttemptID, _ now: Int64) {
    guard let peer = attempts[id] else { return }
    peer.attempt?.progress = .securing
    peer.attempt?.deadlineNanoseconds = now.saturatingAdding(MeshTimes.securingNanoseconds)
  }

  func dialFailed(_ id: AttemptID, _ now: Int64) {
    guard let peer = attempts.removeValue(forKey: id), var attempt = peer.attempt else { return }
    attempt.dials.removeAll { $0.id == id }
    if !attempt.dials.isEmpty { attempt.progress = attempt.connecting }
    peer.attempt = attempt
    if attempt.dials.isEmpty { dialNext(peer, now) }
  }

  /// Ends an attempt that came to nothing.
  func attemptFailed(_ peer: Peer, _ now: Int64) {
    abandonDials(of: peer)
    peer.attempt = nil
    guard peer.link == nil else { return }
    countFailure(peer, now)
    planDial(peer, now)
  }

  func abandonDials(of peer: Peer) {
    for dial in peer.attempt?.dials ?? [] {
      attempts[dial.id] = nil
      actions.append(.abandon(dial.id))
    }
    peer.attempt?.dials = []
  }

  /// One more failure in a row; every fifth starts the peer from nothing but its count.
  func countFailure(_ peer: Peer, _ now: Int64) {
    peer.failureCount = min(peer.failureCount + 1, Int(Int32.max))
    guard peer.failureCount % MeshTimes.failuresToRebuild == 0 else { return }
    abandonDials(of: peer)
    peer.rebuild()
    actions.append(.rebuilt(peer.target))
    actions.append(.resolve(peer.target))
    releaseNamed(answeredBy: peer, now)
  }

  /// Lets static peers look again for who answers there.
  func releaseNamed(answeredBy peer: Peer, _ now: Int64) {
    guard let node = peer.node else { return }
    for named in peers.values where named.answeredBy == node {
      named.answeredBy = nil
      planDial(named, now)
    }
  }

  /// Takes the connection that an attempt brought, or turns it away.
  func dialled(_ id: AttemptID, _ opened: OpenedConnection, _ now: Int64) {
    guard let peer = attempts.removeValue(forKey: id),
      let dial = peer.attempt?.dials.first(where: { $0.id == id })
    else {
      actions.append(.close(opened.connection, .duplicate))
      return
    }
    peer.attempt?.dials.removeAll { $0.id == id }
    abandonDials(of: peer)
    guard opened.node != node else {
      return findOurselves(peer, dial.address, opened.connection, now)
    }
    let owner = owner(of: opened, dialledFor: peer, dial.address, now)
    owner?.learn(dial.address)
    if let owner, owner === peer || owner.attempt == nil {
      owner.nextDialNanoseconds = .max
      owner.attempt = Attempt(
        deadlineNanoseconds: .max,
        watchdogNanoseconds: peer.attempt?.watchdogNanoseconds
          ?? now.saturatingAdding(MeshTimes.watchdogNanoseconds),
        progress: .greeting, connection: opened.connection)
      if let watchdog = owner.attempt?.watchdogNanoseconds { wake(atNanoseconds: watchdog) }
    }
    if owner !== peer { settle(peer, answeredBy: opened.node, dial.address, now) }
    open(opened, isOurs: true, attempt: id.rawValue, now)
  }

  /// Whose connection it is: of the node that was meant, or of the one that answered.
  private func owner(
    of opened: OpenedConnection, dialledFor peer: Peer, _ address: NodeAddress, _ now: Int64
  ) -> Peer? {
    if peer.node == opened.node { return peer }
    return peer.node == nil
      ? makePeer(opened.node, .configured, now) : peers[.node(opened.node)]
  }

  /// Ends the attempt of a peer when another node answered at its address.
  private func settle(
    _ peer: Peer, answeredBy node: NodeID, _ address: NodeAddress, _ now: Int64
  ) {
    guard let meant = peer.node else {
      guard peers[.node(node)] != nil, !ledger.blocked.contains(node) else {
        return attemptFailed(peer, now)
      }
      if let old = peer.answeredBy, old != node { unconfigure(old) }
      peer.answeredBy = node
      peer.attempt = nil
      peer.failureCount = 0
      return
    }
    peer.unlearn(address)
    if ledger.unlearn(address, of: meant) { actions.append(.store) }
    // Who was a member once and is nowhere any more may have another identity by now.
    let isLost = peer.allAddresses.isEmpty && peer.sources == .proven && peer.member == nil
    guard !isLost || ledger.trusted.contains(meant) else { return remove(peer) }
    attemptFailed(peer, now)
  }

  /// A node that answers at a static address no more was named only by it.
  private func unconfigure(_ node: NodeID) {
    guard let peer = peers[.node(node)], !ledger.trusted.contains(node) else { return }
    peer.sources.remove(.configured)
    if peer.sources.isEmpty, peer.member == nil, links(of: node).isEmpty { remove(peer) }
  }

  private func findOurselves(
    _ peer: Peer, _ address: NodeAddress, _ connection: ConnectionID, _ now: Int64
  ) {
    // Who does not say hello, as by an earlier version, ends the connection.
    if selves.count < MeshLimits.connectionsPerNode {
      selves[connection] = address
    } else {
      actions.append(.close(connection, .ourselves))
    }
    peer.unlearn(address)
    peer.attempt = nil
    guard peer.node == nil else { return attemptFailed(peer, now) }
    peer.nextDialNanoseconds = now.saturatingAdding(MeshTimes.ourselvesNanoseconds)
    wake(atNanoseconds: peer.nextDialNanoseconds)
  }

  /// Tells whether it is this node that answered at an address, or another that has its identity.
  func meetOurselves(_ message: Message, _ connection: ConnectionID, _ address: NodeAddress) {
    actions.append(.close(connection, .ourselves))
    if case .hello(let hello) = message, hello.instance != instance {
      actions.append(.twin(instance: hello.instance, toldBy: node, at: address))
    } else {
      actions.append(.ourselves(address))
    }
  }
}
