import Cryptography
import Discovery
import Remote
import StatusSchema
import Store
import Testing

@testable import NodeDaemon

@Suite struct GroupControlTests {
  @Test func `requests about groups reach the node's state`() throws {
    let folder = try TestFolder()
    let state = try NodeState(directory: folder.path, unixSeconds: 1_800_000_000)
    let control = GroupControl(state: state)
    guard case .invitation(let invitation) = control.handle(.groupNew(name: "crew")) else {
      Issue.record("no invitation")
      return
    }
    let group = try #require(state.groups.first)
    #expect(invitation.text == group.invitation)
    let listed = control.handle(.groupList)
    guard case .groups(let groups) = listed else {
      Issue.record("no groups")
      return
    }
    #expect(groups.map(\.name) == ["crew"])
    #expect(groups.map(\.words) == [group.words.joined(separator: " ")])
    #expect(control.handle(.groupJoin(invitation: invitation)) == listed)
    #expect(control.handle(.groupLeave(name: "crew")) == .ok)
    #expect(control.handle(.groupList) == .groups([]))
    #expect(
      control.handle(.groupLeave(name: "crew"))
        == .error(message: "this node is not in group \"crew\""))
  }

  @Test func `all groups that a node can be in are announced`() {
    #expect(NodeState.groupLimit <= ServiceDescription.maximumGroups)
  }

  @Test func `other requests are not its own`() throws {
    let folder = try TestFolder()
    let state = try NodeState(directory: folder.path, unixSeconds: 1_800_000_000)
    let refusal = ControlResponse.error(message: "not a request about groups")
    #expect(GroupControl(state: state).handle(.status) == refusal)
  }
}
