public import Cryptography

/// What outlives a run and is to be stored; ``Mesh/memory`` gives it, ``MeshConfiguration`` takes it.
///
/// No secrets in it, but it decides who is let in: it belongs into the state directory, mode 0600.
public struct MeshMemory: Hashable, Sendable {
  /// Something known about a node.
  public struct Entry: Hashable, Sendable {
    /// The node.
    public var node: NodeID
    /// The highest count of starts it proved; a lower one is a ghost.
    public var instance: UInt64
    /// Where it was last reached.
    public var addresses: [NodeAddress]

    /// Makes an entry.
    public init(node: NodeID, instance: UInt64, addresses: [NodeAddress] = []) {
      self.node = node
      self.instance = instance
      self.addresses = addresses
    }
  }

  /// Nodes that are let in without a group: paired or accepted.
  public var trusted: Set<NodeID>
  /// Nodes that are never let in, whatever they prove.
  public var blocked: Set<NodeID>
  /// Nodes that were members, the latest last.
  public var entries: [Entry]

  /// Makes a memory; without arguments that of a first start.
  public init(
    trusted: Set<NodeID> = [], blocked: Set<NodeID> = [], entries: [Entry] = []
  ) {
    self.trusted = trusted
    self.blocked = blocked
    self.entries = entries
  }
}
