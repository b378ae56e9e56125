import Cryptography

/// The way to a peer: when, to which address, and what after a failure.
extension Mesh {
  /// Sets when the next attempt begins, by the failures so far.
  func planDial(_ peer: Peer, _ now: Int64) {
    guard wants(peer), peer.attempt == nil else {
      if peer.attempt == nil { peer.backOff.cancel() }
      return
    }
    let again = now.saturatingAdding(wait(after: peer.backOff.failureCount, for: peer))
    let opens = peer.node.flatMap(door.shutUntilNanoseconds) ?? again
    peer.backOff.plan(atNanoseconds: max(again, opens))
    agenda.wake(atNanoseconds: peer.backOff.nextNanoseconds)
  }

  /// Brings the next attempt forward as if nothing had failed.
  func hasten(_ peer: Peer, _ now: Int64) {
    if let node = peer.node, door.isShut(node, now) { return }
    peer.backOff.bringForward(toNanoseconds: now.saturatingAdding(wait(after: 0, for: peer)))
    agenda.wake(atNanoseconds: peer.backOff.nextNanoseconds)
  }

  /// A decline ends the attempts, but for whom the user named: there it is a wait.
  ///
  /// The static address is called then, where by now another node may answer; without one the node.
  func planDialAfterDecline(of peer: Peer, _ now: Int64) {
    peer.refusal.decline(now)
    guard peer.sources.contains(.configured), peer.link == nil, let node = peer.node else { return }
    let again = now.saturatingAdding(MeshTimes.namedRestNanoseconds)
    let named = peers.all.filter { $0.answeredBy == node }
    for called in named.isEmpty ? [peer] : named where called.attempt == nil {
      called.backOff.plan(atNanoseconds: again)
    }
    agenda.wake(atNanoseconds: again)
  }

  /// Ends the rest of a peer after a decline.
  func tryAnew(_ peer: Peer, _ now: Int64) {
    guard peer.rest == .declined else { return }
    peer.rest = .none
    planDial(peer, now)
  }

  private func wait(after failureCount: Int, for peer: Peer) -> Int64 {
    BackOff.wait(after: failureCount, isWaiting: waits(for: peer), jitter: jitter)
  }

  /// Begins the attempt that is due.
  func beginAttempt(_ peer: Peer, _ now: Int64) {
    peer.backOff.cancel()
    if peer.rest == .declined, peer.sources.contains(.configured) { peer.rest = .none }
    guard wants(peer), peer.attempt == nil else { return }
    let isBeingGreeted = peer.node.map { !links.of($0).isEmpty } ?? false
    let isCrowded =
      peer.isHearsay
      && peers.all.count { $0.isHearsay && $0.attempt != nil } >= MeshLimits.unprovenAttempts
    guard !isBeingGreeted, !isCrowded else {
      peer.backOff.plan(atNanoseconds: now.saturatingAdding(MeshTimes.nextAddressNanoseconds))
      return agenda.wake(atNanoseconds: peer.backOff.nextNanoseconds)
    }
    let deadline = now.saturatingAdding(MeshTimes.resolvingNanoseconds)
    peer.attempt = Attempt(
      deadlineNanoseconds: deadline,
      watchdogNanoseconds: now.saturatingAdding(MeshTimes.watchdogNanoseconds),
      progress: .resolving)
    peer.attempt?.take(peer.addresses.all)
    guard peer.addresses.all.isEmpty else { return dialNext(peer, now) }
    actions.append(.resolve(peer.target))
    agenda.wake(atNanoseconds: deadline)
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
    let id = dials.begin(for: peer)
    attempt.dials.append(Attempt.Dial(id: id, address: address))
    attempt.progress = attempt.connecting
    attempt.nextAddressNanoseconds =
      attempt.remaining.isEmpty
      ? .max : now.saturatingAdding(MeshTimes.nextAddressNanoseconds)
    attempt.deadlineNanoseconds = now.saturatingAdding(MeshTimes.connectingNanoseconds)
    agenda.wake(atNanoseconds: min(attempt.nextAddressNanoseconds, attempt.deadlineNanoseconds))
    peer.attempt = attempt
    actions.append(.dial(id, address))
  }

  /// Tries all addresses again beside what hangs: a connection begun while the path was cut sends
  /// its next packet only after seconds.
  func dialBeside(_ peer: Peer, _ now: Int64) {
    guard case .connecting? = peer.attempt?.progress, let attempt = peer.attempt,
      attempt.remaining.isEmpty, attempt.dials.count <= MeshLimits.addresses
    else { return }
    peer.attempt?.take(peer.addresses.all)
    dialNext(peer, now)
  }

  func secure(_ id: AttemptID, _ now: Int64) {
    guard let peer = dials[id] else { return }
    peer.attempt?.progress = .securing
    peer.attempt?.deadlineNanoseconds = now.saturatingAdding(MeshTimes.securingNanoseconds)
  }

  func dialFailed(_ id: AttemptID, _ now: Int64) {
    guard let peer = dials.end(id), var attempt = peer.attempt else { return }
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
      dials.end(dial.id)
      actions.append(.abandon(dial.id))
    }
    peer.attempt?.dials = []
  }

  /// One more failure in a row; every fifth starts the peer from nothing but its count.
  func countFailure(_ peer: Peer, _ now: Int64) {
    guard peer.backOff.countFailure() else { return }
    abandonDials(of: peer)
    peer.rebuild()
    actions.append(.rebuilt(peer.target))
    actions.append(.resolve(peer.target))
    releaseNamed(answeredBy: peer, now)
  }

  /// Lets static peers look again for who answers there.
  func releaseNamed(answeredBy peer: Peer, _ now: Int64) {
    guard let node = peer.node else { return }
    for named in peers.all where named.answeredBy == node {
      named.answeredBy = nil
      planDial(named, now)
    }
  }

  /// Takes the connection that an attempt brought, or turns it away.
  func dialled(_ id: AttemptID, _ opened: OpenedConnection, _ now: Int64) {
    guard let peer = dials.end(id),
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
    owner?.addresses.learn(dial.address)
    if let owner, owner === peer || owner.attempt == nil {
      owner.backOff.cancel()
      owner.attempt = Attempt(
        deadlineNanoseconds: .max,
        watchdogNanoseconds: peer.attempt?.watchdogNanoseconds
          ?? now.saturatingAdding(MeshTimes.watchdogNanoseconds),
        progress: .greeting, connection: opened.connection)
      if let watchdog = owner.attempt?.watchdogNanoseconds { agenda.wake(atNanoseconds: watchdog) }
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
      ? makePeer(opened.node, .configured, now) : peers[opened.node]
  }

  /// Ends the attempt of a peer when another node answered at its address.
  private func settle(
    _ peer: Peer, answeredBy node: NodeID, _ address: NodeAddress, _ now: Int64
  ) {
    guard let meant = peer.node else {
      guard peers[node] != nil, !ledger.blocked.contains(node) else {
        return attemptFailed(peer, now)
      }
      if let old = peer.answeredBy, old != node { unconfigure(old) }
      peer.answeredBy = node
      peer.attempt = nil
      peer.backOff.forgetFailures()
      return
    }
    peer.addresses.unlearn(address)
    if ledger.unlearn(address, of: meant) { actions.append(.store) }
    // Who was a member once and is nowhere any more may have another identity by now.
    let isLost = peer.addresses.isEmpty && peer.sources == .proven && peer.member == nil
    guard !isLost || ledger.trusted.contains(meant) else { return remove(peer) }
    attemptFailed(peer, now)
  }

  /// A node that answers at a static address no more was named only by it.
  private func unconfigure(_ node: NodeID) {
    guard let peer = peers[node], !ledger.trusted.contains(node) else { return }
    peer.sources.remove(.configured)
    if peer.sources.isEmpty, peer.member == nil, links.of(node).isEmpty { remove(peer) }
  }

  private func findOurselves(
    _ peer: Peer, _ address: NodeAddress, _ connection: ConnectionID, _ now: Int64
  ) {
    // Who does not say hello, as by an earlier version, ends the connection.
    if !links.addOurselves(connection, at: address) {
      actions.append(.close(connection, .ourselves))
    }
    peer.addresses.unlearn(address)
    peer.attempt = nil
    guard peer.node == nil else { return attemptFailed(peer, now) }
    peer.backOff.plan(atNanoseconds: now.saturatingAdding(MeshTimes.ourselvesNanoseconds))
    agenda.wake(atNanoseconds: peer.backOff.nextNanoseconds)
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
