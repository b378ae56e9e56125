import Cryptography
import EventLoop
import Mesh

/// What the mesh wants done.
extension Membership {
  func perform(_ actions: [MeshAction]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: MeshAction) {
    switch action {
    case .dial(let attempt, let address): parts.transport.dial(attempt, address)
    case .abandon(let attempt): parts.transport.abandon(attempt)
    case .close(let connection, _): parts.transport.close(connection)
    case .send(let message, let connection): parts.transport.send(message, on: connection)
    case .resolve(let target): resolve(target)
    case .knock(_, let addresses):
      mediaCommands.yield(.knock(addresses.compactMap(SocketAddress.init).filter(takes)))
    case .admitted, .changed, .departed, .mediaKey: performMembers(action)
    case .invited, .invitationEnded, .declined, .stranger: performStrangers(action)
    case .rollKey: rollKey()
    case .mediaAlive: break
    case .rebuilt(let target): parts.report(.rebuilt(peer: words(for: target)))
    case .ourselves(let address):
      let peer = address.flatMap(SocketAddress.init)
      parts.report(.ourselves(peer: peer?.description ?? "its own address"))
    case .store: memoryWrites.yield(mesh.memory)
    }
  }

  private func performMembers(_ action: MeshAction) {
    switch action {
    case .admitted(let member):
      strangers[member.node] = nil
      for connection in mesh.connections(of: member.node) {
        parts.transport.raiseLimit(of: connection)
      }
      parts.report(
        .admitted(member.node, name: member.profile.name, isInGroup: member.isInGroup))
      admit(member.node, member.profile)
    case .changed(let member): admit(member.node, member.profile)
    case .departed(let node, let reason):
      mediaCommands.yield(.expel(node))
      let name = memberNames.removeValue(forKey: node) ?? ""
      parts.report(.departed(node, name: name, reason))
    case .mediaKey(let node, let key): mediaCommands.yield(.install(key, node))
    default: break
    }
  }

  private func admit(_ node: NodeID, _ profile: NodeProfile) {
    memberNames[node] = profile.name
    let addresses = profile.mediaAddresses.compactMap(SocketAddress.init).filter(takes)
    mediaCommands.yield(.admit(node, name: profile.name, addresses: addresses))
  }

  private func performStrangers(_ action: MeshAction) {
    switch action {
    case .invited(let invitation):
      invitations[invitation.node] = invitation
      parts.report(.invited(invitation.node, name: invitation.profile.name))
    case .invitationEnded(let node):
      invitations[node] = nil
      parts.report(.invitationEnded(node))
    case .declined(let node, let words): parts.report(.declined(node, words: words))
    case .stranger(let node, let profile):
      strangers[node] = profile.name
      parts.report(.stranger(node, name: profile.name))
    default: break
    }
  }

  /// Looks up where a peer is; a node is where discovery sees it.
  private func resolve(_ target: PeerTarget) {
    guard case .named(let number) = target else {
      if case .node(let node) = target {
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
          ? "it has only IPv6 addresses and this node listens on IPv4; use --listen [::]:PORT"
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

  private func takes(_ address: SocketAddress) -> Bool {
    parts.takesIPv6 || address.family == .ipv4
  }

  private func words(for target: PeerTarget) -> String {
    switch target {
    case .named(let number): namedPeers[number] ?? "a static peer"
    case .node(let node): memberNames[node] ?? node.words.joined(separator: " ")
    }
  }

  /// One command to the media path; the next comes after it.
  func carryOut(_ command: MediaCommand) async {
    switch command {
    case .admit(let node, let name, let addresses):
      await media.admit(node, name: name, addresses: addresses)
    case .expel(let node): await media.expel(node)
    case .install(let key, let node):
      do {
        try await media.install(key, of: node)
      } catch {
        parts.report(.fault("the media key of \(words(for: .node(node))) is of no use: \(error)"))
      }
    case .knock(let addresses): await media.sendKnocks(to: addresses, as: mesh.node)
    }
  }
}
