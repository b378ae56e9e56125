internal import Cryptography
internal import Messages
internal import Store

/// Tells who has proved to share which group with this node, whenever that becomes another.
struct GroupNews {
  /// Told by the groups' names.
  var told: (@Sendable ([String: Set<NodeID>]) async -> Void)?
  /// Whether the node's groups are others than before.
  var isDue = true
  private var revision: Int?

  /// Tells what changed since it was told last.
  mutating func tell(_ desk: MessageDesk, of state: NodeState) {
    guard let told, isDue || revision != desk.contactsRevision else { return }
    (isDue, revision) = (false, desk.contactsRevision)
    let groups = Dictionary(
      state.groups.map { ($0.name, desk.members(of: GroupTag(of: $0))) },
      uniquingKeysWith: { first, _ in first })
    Task { await told(groups) }
  }
}
