public import Cryptography
import Mesh

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
}
