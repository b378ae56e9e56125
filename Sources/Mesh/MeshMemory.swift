public import Cryptography

/// What outlives a run and is to be stored; ``Mesh/memory`` gives it, ``MeshConfiguration`` takes it.
///
/// No secrets in it, but it decides who is let in: it belongs into the state directory, mode 0600.
public struct MeshMemory: Hashable, Sendable {
  /// A node that a user of the group forgot.
  public struct Forgotten: Hashable, Sendable {
    /// The node.
    public var node: NodeID
    /// Up to which start of it; a later one is not meant.
    public var instance: UInt64

    /// Makes one.
    public init(node: NodeID, instance: UInt64) {
      self.node = node
      self.instance = instance
    }
  }

  /// Nodes that are let in without a group: paired or accepted.
  public var trusted: Set<NodeID>
  /// Nodes that are never let in, whatever they prove.
  public var blocked: Set<NodeID>
  /// Nodes that were members, the latest last; of one a lower instance is a ghost.
  public var entries: [NodeRecord]
  /// Nodes that somebody forgot, here or at another member, the latest last: members that were away are told of them.
  public var forgotten: [Forgotten]

  /// Makes a memory; without arguments that of a first start.
  public init(
    trusted: Set<NodeID> = [], blocked: Set<NodeID> = [], entries: [NodeRecord] = [],
    forgotten: [Forgotten] = []
  ) {
    self.forgotten = forgotten
    self.trusted = trusted
    self.blocked = blocked
    self.entries = entries
  }
}

/// Objects by key, walked in the order they came: the same run from the same seed.
struct OrderedTable<Key: Hashable, Value: AnyObject> {
  private(set) var values: [Value] = []
  private var keys: [Key] = []
  private var indexByKey: [Key: Int] = [:]

  var count: Int { values.count }

  /// The object of a key; nil removes it, at a cost that grows with the table.
  subscript(key: Key) -> Value? {
    get { indexByKey[key].map { values[$0] } }
    set {
      if let newValue {
        insert(newValue, key)
      } else {
        remove(key)
      }
    }
  }

  private mutating func insert(_ value: Value, _ key: Key) {
    if let index = indexByKey[key] {
      values[index] = value
    } else {
      indexByKey[key] = values.count
      keys.append(key)
      values.append(value)
    }
  }

  private mutating func remove(_ key: Key) {
    guard let index = indexByKey.removeValue(forKey: key) else { return }
    keys.remove(at: index)
    values.remove(at: index)
    for position in index..<keys.count { indexByKey[keys[position]] = position }
  }
}
