public import Cryptography
public import Mesh

/// What this node tells its members of itself, and what they tell.
extension Membership {
  /// The number of each member's present start.
  public var instances: [NodeID: UInt64] {
    Dictionary(mesh.members.map { ($0.node, $0.instance) }) { first, _ in first }
  }

  /// What each member says of itself.
  public var profiles: [NodeID: NodeProfile] {
    Dictionary(mesh.members.map { ($0.node, $0.profile) }) { first, _ in first }
  }

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

  /// Tells the members what this node changes its voice into, in words; empty: nothing.
  public func tellEffect(_ effect: String) {
    var profile = mesh.ownProfile
    guard profile.effect != effect else { return }
    profile.effect = effect
    handle(.describe(profile))
  }

  /// The members that say that they send somebody's voice back in place of their own.
  public var loopingBack: Set<NodeID> {
    Set(mesh.members.filter { $0.profile.loopBack != nil }.map(\.node))
  }

  /// The node that the user means, by name, words or ID.
  public func node(named text: String) async throws(IntercomError) -> NodeID {
    try await find(text)
  }

  /// Nodes that the user keeps out.
  public var blockedNodes: Set<NodeID> { mesh.memory.blocked }

  /// What this node calls itself.
  public var ownName: String { mesh.ownProfile.name }

  /// What this node says of itself.
  public var ownProfile: NodeProfile { mesh.ownProfile }

  /// Calls this node otherwise from now on; the members are told.
  public func rename(_ name: String) {
    var profile = mesh.ownProfile
    guard profile.name != name else { return }
    profile.name = name
    handle(.describe(profile))
  }
}
