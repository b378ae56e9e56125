internal import Cryptography
internal import Remote
internal import StatusSchema
internal import Store

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
      default: return .error(message: "this is no request about groups")
      }
    } catch {
      return .error(message: "\(error)")
    }
  }

  private static func status(_ group: Group) -> GroupStatus {
    GroupStatus(name: group.name, words: group.words.joined(separator: " "))
  }
}
