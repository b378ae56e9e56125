import Cryptography
import EventLoop
import Mesh

/// What the mesh wants done.
extension Membership {
  /// Strangers that are remembered by name.
  private static let mostStrangers = 64
  private static let mostNames = 256

  func perform(_ actions: [MeshAction]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: MeshAction) {
    switch action {
    case .dial(let attempt, let address): dial(attempt, address)
    case .abandon(let attempt): parts.transport.abandon(attempt)
    case .close(let connection, _): parts.transport.close(connection)
    case .send(let message, let connection): parts.transport.send(message, on: connection)
    case .raise(let connection): parts.transport.raiseLimit(of: connection)
    case .resolve(let target): resolve(target)
    case .knock(let other, let addresses):
      knock(at: other, addresses.compactMap(SocketAddress.init).filter(takes))
    case .listen(let node): Task { await listen(to: node) }
    case .admitted, .changed, .departed, .mediaKey, .streamEnded, .forgotten:
      performMembers(action)
    case .invited, .invitationEnded, .declined, .stranger: performStrangers(action)
    case .rollKeys(let streams): rollKeys(streams)
    case .rebuilt(let target): tellFailure(of: target)
    case .twin(let instance, let teller, let address):
      noteTwin(instance, toldBy: teller, at: address.flatMap(SocketAddress.init))
    case .ourselves(let address):
      let peer = address.flatMap(SocketAddress.init)
      parts.report(.ourselves(peer: peer?.description ?? "its own address"))
    case .store: store()
    }
  }

  /// Who could be connected over IPv6 only could not be heard by a node whose media socket takes none.
  private func dial(_ attempt: AttemptID, _ address: NodeAddress) {
    guard let target = SocketAddress(address), takes(target) else {
      Task { handle(.failed(attempt)) }
      return
    }
    parts.transport.dial(attempt, address)
  }

  private func performMembers(_ action: MeshAction) {
    switch action {
    case .admitted(let member):
      strangers[member.node] = nil
      parts.report(
        .admitted(member.node, name: member.profile.name, isInGroup: member.isInGroup))
      admit(member.node, member.profile)
    case .changed(let member): admit(member.node, member.profile)
    case .departed(let node, let reason):
      let name = names[node] ?? ""
      if reason.isForGood { parts.transport.endLane(of: node) }
      expel(node, saidGoodbye: reason == .goodbye)
      parts.report(.departed(node, name: name, reason))
    case .mediaKey(let node, let key): take(.key(key), of: node)
    case .streamEnded(let node, let stream): take(.end(stream), of: node)
    case .forgotten(let node, let teller):
      parts.report(.forgotten(node, name: names[node] ?? "", by: names[teller] ?? ""))
      names[node] = nil
      freedNames.insert(node)
      bringUpToDate(node)
    default: break
    }
  }

  private func performStrangers(_ action: MeshAction) {
    switch action {
    case .invited(let invitation):
      invitations[invitation.node] = invitation
      note(invitation.profile.name, of: invitation.node)
      parts.report(.invited(invitation.node, name: invitation.profile.name))
    case .invitationEnded(let node):
      invitations[node] = nil
      parts.report(.invitationEnded(node))
    case .declined(let node, let words): parts.report(.declined(node, words: words))
    case .stranger(let node, let profile):
      if strangers.count == Self.mostStrangers { _ = strangers.popFirst() }
      strangers[node] = profile.name
      note(profile.name, of: node)
      parts.report(.stranger(node, name: profile.name))
    default: break
    }
  }

  /// Remembers a name beyond its bearer's presence.
  func note(_ name: String, of node: NodeID) {
    if names.count >= Self.mostNames, names[node] == nil { _ = names.popFirst() }
    names[node] = name
  }

  /// Looks up where a peer is; a node is where discovery sees it, which asks anew beside that.
  private func resolve(_ target: PeerTarget) {
    guard case .named(let number) = target else {
      if case .node(let node) = target {
        parts.rediscover(node)
        // Not now: the mesh is handing out what it decided.
        Task { handle(.resolved(target, announced[node]?.addresses ?? [])) }
      }
      return
    }
    guard let peer = namedPeers[number] else { return }
    let resolve = parts.resolve
    Task { [weak self] in
      do throws(AddressError) {
        await self?.found(try await resolve(peer), number)
      } catch {
        await self?.found([], number, reason: "\(error)")
      }
    }
  }

  private func found(_ addresses: [SocketAddress], _ number: Int, reason: String? = nil) {
    guard let peer = namedPeers[number] else { return }
    let reachable = addresses.filter(takes)
    let problem =
      reason
      ?? (addresses.isEmpty
        ? "it has no address"
        : reachable.isEmpty
          ? "it has only IPv6 addresses, and this node listens on IPv4 only; use --listen [::]:PORT"
          : nil)
    if let problem {
      // Once, and again only after it was found in between.
      if unresolvedPeers.insert(number).inserted {
        parts.report(.unresolved(peer: peer, reason: problem))
      }
    } else {
      unresolvedPeers.remove(number)
    }
    handle(.resolved(.named(number), reachable.map(NodeAddress.init)))
  }

  /// Once an hour of each: who is away for good fails again and again.
  private func tellFailure(of target: PeerTarget) {
    guard failures.tells(target, nowNanoseconds: now()) else { return }
    parts.report(.rebuilt(peer: words(for: target)))
  }

  func takes(_ address: SocketAddress) -> Bool {
    parts.takesIPv6 || address.family == .ipv4
  }

  private func words(for target: PeerTarget) -> String {
    switch target {
    case .named(let number): namedPeers[number] ?? "a static peer"
    case .node(let node): names[node] ?? node.words.joined(separator: " ")
    }
  }

  /// Knocks are as good late as never, and few (``Mesh``).
  private func knock(at other: NodeID, _ addresses: [SocketAddress]) {
    let (media, node) = (media, mesh.node)
    Task { await media.sendKnocks(at: other, addresses, as: node) }
  }

  /// Its heartbeats do not come; whether it is gone, the media path knows better.
  func listen(to node: NodeID) async {
    guard let nanoseconds = await media.heardNanoseconds(of: node) else { return }
    handle(.sounded(node, atNanoseconds: nanoseconds))
  }
}
