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
