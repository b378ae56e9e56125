internal import Cryptography
internal import Intercom
internal import Mesh
internal import Remote
internal import StatusSchema
internal import Store

/// Carries out the requests about who is let in; other requests are refused.
struct AdmissionControl {
  let connections: Connections

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do {
      let membership = connections.membership
      switch request {
      case .peers: return .knownNodes(await membership.knownNodes)
      case .accept(let peer): try await membership.accept(peer)
      case .decline(let peer):
        try await membership.decline(peer)
        return .ok
      case .invite(let peer): try await membership.invite(peer)
      case .forget(let peer): try await membership.forget(peer)
      case .block(let peer): try await membership.block(peer)
      case .pairShow(let group):
        let shown = try await connections.pairing.show(group: group)
        return .pin(SecretText(shown.pin), seconds: shown.seconds)
      case .pairWith(let peer, let pin): return try await pair(with: peer, pin)
      default: return .error(message: "not a request about admission")
      }
      // Who reads "done" is rid of whom they blocked, and may pull the plug.
      await membership.mediaKnows()
      guard let problem = await membership.keepingProblem() else { return .ok }
      return .done(note: "done, but for this run only: \(problem)")
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func pair(
    with peer: String, _ pin: SecretText
  ) async throws(PairingProblem) -> ControlResponse {
    let node = try await connections.pairing.pair(with: peer, pin: pin.text)
    let known = await connections.membership.knownNodes.first { $0.id == node.text }
    return .knownNodes([known ?? KnownNodeStatus(name: peer, state: "paired")])
  }
}

extension AdmissionPolicy {
  /// The policies as a user writes them.
  static let words = allCases.map(\.rawValue).joined(separator: "|")
}

/// Carries out the requests about groups; other requests are refused.
struct GroupControl {
  let state: NodeState

  func handle(_ request: ControlRequest) -> ControlResponse {
    do throws(StoreError) {
      switch request {
      case .groupNew(let name):
        return .invitation(SecretText(try state.makeGroup(named: name).invitation))
      case .groupJoin(let invitation):
        return .groups([Self.status(try state.join(invitation: invitation.text))])
      case .groupList: return .groups(state.groups.map(Self.status))
      case .groupLeave(let name):
        try state.leave(group: name)
        return .ok
      default: return .error(message: "not a request about groups")
      }
    } catch {
      return .error(message: "\(error)")
    }
  }

  private static func status(_ group: Group) -> GroupStatus {
    GroupStatus(name: group.name, words: group.words.joined(separator: " "))
  }
}
