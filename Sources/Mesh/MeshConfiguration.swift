public import Cryptography

/// What a node brings into the mesh.
public struct MeshConfiguration: Sendable {
  /// Who it is.
  public var node: NodeID
  /// Its count of starts, below 2⁶², written and synced before it is used.
  public var instance: UInt64
  /// What it tells the others.
  public var profile: NodeProfile
  /// What becomes of strangers.
  public var policy: AdmissionPolicy
  /// What it knew when it ran last.
  public var memory: MeshMemory

  /// Makes a configuration.
  public init(
    node: NodeID, instance: UInt64, profile: NodeProfile, policy: AdmissionPolicy = .ask,
    memory: MeshMemory = MeshMemory()
  ) {
    self.node = node
    self.instance = instance
    self.profile = profile
    self.policy = policy
    self.memory = memory
  }
}

/// A stranger who asks to be taken as a member.
public struct Invitation: Hashable, Sendable {
  /// Who asks, as the connection proved.
  public let node: NodeID
  /// What it tells about itself; nobody vouches for the name.
  public let profile: NodeProfile
  /// When it is declined unless somebody answers.
  public let deadlineNanoseconds: Int64
}

/// What becomes of a node that is neither in the group nor trusted.
public enum AdmissionPolicy: String, Sendable, CaseIterable {
  /// Its invitation is shown, and declined if nobody answers.
  case ask
  /// Its invitation is declined.
  case groupOnly = "group-only"
  /// It is a member.
  case open
}

/// A node seen by discovery: hearsay, which proves nothing.
public struct Announcement: Hashable, Sendable {
  /// Who it says it is.
  public var node: NodeID
  /// Where it takes control connections.
  public var addresses: [NodeAddress]
  /// Whether it says that it belongs to a group of ours.
  public var sharesGroup: Bool

  /// Makes an announcement.
  public init(node: NodeID, addresses: [NodeAddress], sharesGroup: Bool = true) {
    self.node = node
    self.addresses = addresses
    self.sharesGroup = sharesGroup
  }
}
