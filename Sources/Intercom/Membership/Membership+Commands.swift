public import Cryptography
public import Mesh
public import StatusSchema

/// What the user and the surroundings say.
extension Membership {
  /// Calls whoever answers at an address, `HOST:PORT`, from now on.
  public func name(_ peer: String) {
    let number = namedPeers.count
    namedPeers[number] = peer
    handle(.named(number, []))
  }

  /// Discovery sees a node, by a name that anybody could give.
  public func discover(_ announcement: Announcement, name: String) {
    announced[announcement.node] = (announcement.addresses, name)
    handle(.discovered(announcement))
  }

  /// Discovery sees it no more.
  public func lose(_ node: NodeID) {
    announced[node] = nil
    handle(.lost(node))
  }

  /// Trusts a node that a PIN vouches for, and calls it.
  ///
  /// - Parameter addresses: where it was reached; may be none.
  public func trust(_ node: NodeID, at addresses: [NodeAddress]) {
    handle(.accept(node))
    guard !addresses.isEmpty else { return }
    handle(.discovered(Announcement(node: node, addresses: addresses)))
  }

  /// Where somebody is whom the user names: by name, words or ID as discovery sees it, or by `HOST:PORT`.
  ///
  /// - Throws: `IntercomError.refused` where several nodes are called so.
  public func addresses(of peer: String) async throws(IntercomError) -> [NodeAddress] {
    do throws(IntercomError) {
      let node = try await find(peer)
      let addresses = announced[node]?.addresses ?? mesh.addresses(of: node)
      if !addresses.isEmpty { return addresses }
    } catch {
      if case .refused = error { throw error }
    }
    guard let found = try? await parts.resolve(peer) else { return [] }
    return found.map(NodeAddress.init)
  }

  /// Lets a node in that asks.
  ///
  /// By its name only who asks: names are what anybody says.
  public func accept(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer, among: invitations)
    try refuseBlocked(node, peer)
    handle(.accept(node))
  }

  /// Does not let a node in that asks.
  public func decline(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer, among: invitations)
    guard invitations[node] != nil else {
      throw .refused("\(peer) does not ask to be let in; comlink peers lists the nodes that do")
    }
    handle(.decline(node))
  }

  /// Asks a node to let us in, and trusts it.
  public func invite(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer)
    try refuseBlocked(node, peer)
    strangers[node] = nil
    handle(.invite(node))
  }

  /// Takes trust, or a block, back.
  ///
  /// Who is neither blocked nor a member then has no claim to its name any more, at any member.
  public func forget(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer)
    let wasBlocked = mesh.memory.blocked.contains(node)
    handle(.forget(node))
    if !wasBlocked { freedNames.insert(node) }
    bringUpToDate(node)
  }

  /// Keeps a node out for good.
  public func block(_ peer: String) async throws(IntercomError) {
    handle(.block(try await find(peer)))
  }

  /// Everybody who is a member, asks to be one, is trusted or blocked, or is looked for.
  ///
  /// By the names that mixer and JACK's ports have: of members of one name each has another.
  public var knownNodes: [KnownNodeStatus] { get async { known(by: await media.calledNames()) } }

  private func known(by called: [NodeID: String]) -> [KnownNodeStatus] {
    var all: [NodeID: KnownNodeStatus] = [:]
    var nameless: [KnownNodeStatus] = []
    for report in mesh.reports {
      switch report.target {
      case .node(let node):
        all[node] = status(node, name: called[node] ?? report.name, report)
      case .named(let number):
        // Who answered there has a line of its own.
        guard report.answeredBy == nil else { continue }
        let peer = namedPeers[number] ?? ""
        var status = KnownNodeStatus(name: peer, state: state(of: report))
        status.failures = report.failureCount
        status.attempt = attempt(of: report)
        nameless.append(status)
      }
    }
    for (node, seen) in announced where all[node]?.name.isEmpty ?? true {
      all[node] = all[node] ?? status(node, name: "", nil)
      all[node]?.name = seen.name
    }
    for (node, name) in strangers where !mesh.memory.blocked.contains(node) {
      all[node] = status(node, name: name, nil)
      all[node]?.state = "stranger"
    }
    for invitation in invitations.values {
      all[invitation.node] = status(invitation.node, name: invitation.profile.name, nil)
      all[invitation.node]?.state = "asks to be let in"
      all[invitation.node]?.secondsLeft =
        Double(max(0, invitation.deadlineNanoseconds - now())) / 1e9
    }
    for node in mesh.memory.trusted.union(mesh.memory.blocked) where all[node] == nil {
      all[node] = status(node, name: called[node] ?? "", nil)
    }
    return all.sorted { $0.key < $1.key }.map(\.value) + nameless
  }

  /// The number of each member's present start.
  public var instances: [NodeID: UInt64] {
    Dictionary(mesh.members.map { ($0.node, $0.instance) }) { first, _ in first }
  }

  /// What each member says of itself.
  public var profiles: [NodeID: NodeProfile] {
    Dictionary(mesh.members.map { ($0.node, $0.profile) }) { first, _ in first }
  }

  private func status(
    _ node: NodeID, name: String, _ report: PeerReport?
  ) -> KnownNodeStatus {
    let called = name.isEmpty ? names[node] ?? "" : name
    var status = KnownNodeStatus(name: called, state: report.map(state(of:)) ?? "away")
    status.id = node.text
    status.idWords = node.words.joined(separator: " ")
    let member = mesh.members.first { $0.node == node }
    status.isRecording = member?.profile.isRecording
    status.role = member?.profile.shownRole
    status.colour = member?.profile.shownColour
    status.version = member?.profile.shownVersion
    status.admission =
      mesh.memory.blocked.contains(node)
      ? "blocked"
      : member?.isInGroup == true
        ? "group"
        : mesh.memory.trusted.contains(node) ? "trusted" : member == nil ? nil : "open"
    status.failures = report?.failureCount ?? 0
    status.attempt = report.flatMap(attempt(of:))
    return status
  }

  private func state(of report: PeerReport) -> String {
    switch report.progress {
    case .resting: "away"
    case .waiting: "waiting to try again"
    case .resolving: "looked up"
    case .connecting: "connecting"
    case .securing: "securing"
    case .greeting: "greeting"
    case .asking: "asked to let us in"
    case .connected: "member"
    }
  }

  /// The attempt under way, or the next.
  private func attempt(of report: PeerReport) -> AttemptStatus? {
    let isAwaited: Bool
    let end: Int64
    if let watchdog = report.watchdogNanoseconds {
      (isAwaited, end) = (false, watchdog)
    } else if case .waiting(let beginning) = report.progress {
      (isAwaited, end) = (true, beginning)
    } else {
      return nil
    }
    var attempt = AttemptStatus(
      number: report.failureCount + 1, isAwaited: isAwaited,
      secondsLeft: Double(max(0, end - now())) / 1e9)
    if case .connecting(let address, let count) = report.progress {
      (attempt.address, attempt.addressCount) = (address, count)
    }
    return attempt
  }

  private func refuseBlocked(_ node: NodeID, _ peer: String) throws(IntercomError) {
    guard mesh.memory.blocked.contains(node) else { return }
    throw .refused("\(peer) is blocked; lift the block with comlink forget")
  }

  /// Who the user means, see ``NodeSearch``; by a whole ID also somebody who is not known.
  ///
  /// - Parameter invitations: who may be meant by name; nil: everybody.
  private func find(
    _ text: String, among invitations: [NodeID: Invitation]? = nil
  ) async throws(IntercomError) -> NodeID {
    if let node = NodeID(text: text) { return node }
    let called = await media.calledNames()
    var known = self.known(by: called).map { one in
      (name: one.name, node: one.id.flatMap { NodeID(text: $0) })
    }
    // Also who is looked for no more and has its name still, as a box that was flashed anew.
    let listed = Set(known.compactMap(\.node))
    known += called.filter { !listed.contains($0.key) }.map { (name: $0.value, node: $0.key) }
    let search = NodeSearch(
      candidates: known.map { one in
        NodeSearch.Candidate(
          node: one.node, name: one.name,
          isNameable: one.node.map { invitations?.keys.contains($0) ?? true } ?? false)
      })
    guard let node = known[try search.index(of: text)].node else {
      throw .unknownPeer(text, known: known.map(\.name).filter { !$0.isEmpty })
    }
    return node
  }
}

/// Whose voice is sent back: what this node tells the members, and what they tell.
extension Membership {
  /// Tells the members whose voice this node sends back in place of its own; nil: nobody's.
  public func tellLoopBack(of node: NodeID?) {
    var profile = mesh.ownProfile
    guard profile.loopBack != node else { return }
    profile.loopBack = node
    handle(.describe(profile))
  }

  /// Whose voice a member says that it sends back; nil: nobody's, or it is no member.
  public func loopBack(by node: NodeID) -> NodeID? {
    mesh.members.first { $0.node == node }?.profile.loopBack
  }

  /// The members that say that they send somebody's voice back in place of their own.
  public var loopingBack: Set<NodeID> {
    Set(mesh.members.filter { $0.profile.loopBack != nil }.map(\.node))
  }

  /// What this node calls itself.
  public var ownName: String { mesh.ownProfile.name }

  /// Calls this node otherwise from now on; the members are told.
  public func rename(_ name: String) {
    var profile = mesh.ownProfile
    guard profile.name != name else { return }
    profile.name = name
    handle(.describe(profile))
  }
}
