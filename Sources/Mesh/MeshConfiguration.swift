public import Cryptography

/// A node's configuration for the mesh.
public struct MeshConfiguration: Sendable {
  /// Who it is.
  public var node: NodeID
  /// Its count of starts, below 2⁶², written and synced before it is used.
  public var instance: UInt64
  /// Its profile for the others.
  public var profile: NodeProfile
  /// The policy for strangers.
  public var policy: AdmissionPolicy
  /// Its memory of the last run.
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

/// A stranger that asks for admission.
public struct Invitation: Hashable, Sendable {
  /// Who asks, as the connection proved.
  public let node: NodeID
  /// Its own profile; the name is unproved.
  public let profile: NodeProfile
  /// When it is declined without an answer.
  public let deadlineNanoseconds: Int64
}

/// The policy for a node that is neither in the group nor trusted.
public enum AdmissionPolicy: String, Sendable, CaseIterable {
  /// Show its invitation, and decline it without an answer.
  case ask
  /// Decline its invitation.
  case groupOnly = "group-only"
  /// Admit it.
  case open
}

/// A node seen by discovery: hearsay, which proves nothing.
public struct Announcement: Hashable, Sendable {
  /// Its claimed identity.
  public var node: NodeID
  /// Where it takes control connections.
  public var addresses: [NodeAddress]
  /// Whether it claims to be in a group of ours.
  public var sharesGroup: Bool

  /// Makes an announcement.
  public init(node: NodeID, addresses: [NodeAddress], sharesGroup: Bool = true) {
    self.node = node
    self.addresses = addresses
    self.sharesGroup = sharesGroup
  }
}
