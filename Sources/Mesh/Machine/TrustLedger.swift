import Cryptography

/// Who is let in, who never is, and which run of whom was the last: what outlives a run.
struct TrustLedger {
  private(set) var trusted: Set<NodeID>
  private(set) var blocked: Set<NodeID>
  private var entries: [NodeID: NodeRecord] = [:]
  /// Of `entries`, the latest last.
  private var order: [NodeID] = []
  /// Nodes that somebody forgot, the latest last.
  private(set) var forgotten: [MeshMemory.Forgotten] = []

  init(_ memory: MeshMemory) {
    trusted = memory.trusted.subtracting(memory.blocked)
    blocked = memory.blocked
    for entry in memory.entries.suffix(MeshLimits.memoryEntries) { _ = note(entry) }
    for one in memory.forgotten.suffix(MeshLimits.forgotten) { noteForgotten(one) }
  }

  var memory: MeshMemory {
    MeshMemory(
      trusted: trusted, blocked: blocked, entries: order.compactMap { entries[$0] },
      forgotten: forgotten)
  }

  /// The highest count of starts that a node proved; 0 before.
  func instance(of node: NodeID) -> UInt64 { entries[node]?.instance ?? 0 }

  /// Where a node was last reached; none: it never was, or nobody remembers.
  func addresses(of node: NodeID) -> [NodeAddress] { entries[node]?.addresses ?? [] }

  /// Remembers a member; false when nothing of it is new.
  mutating func note(_ entry: NodeRecord) -> Bool {
    var entry = entry
    entry.instance = max(entry.instance, instance(of: entry.node))
    guard entries.updateValue(entry, forKey: entry.node) != entry else { return false }
    if let index = order.firstIndex(of: entry.node) { order.remove(at: index) }
    order.append(entry.node)
    if order.count > MeshLimits.memoryEntries {
      // A blocked node's count is kept longest: it is the one that comes back.
      let index = order.firstIndex { !blocked.contains($0) && !trusted.contains($0) } ?? 0
      entries[order.remove(at: index)] = nil
    }
    return true
  }

  /// Forgets where a node was; false where nobody thought so.
  mutating func unlearn(_ address: NodeAddress, of node: NodeID) -> Bool {
    guard let index = entries[node]?.addresses.firstIndex(of: address) else { return false }
    entries[node]?.addresses.remove(at: index)
    return true
  }

  mutating func trust(_ node: NodeID) {
    blocked.remove(node)
    trusted.insert(node)
  }

  mutating func block(_ node: NodeID) {
    trusted.remove(node)
    blocked.insert(node)
  }

  /// Takes a block back; where it was is remembered, so that it can be called, and blocked again before it answers.
  mutating func unblock(_ node: NodeID) { blocked.remove(node) }

  mutating func forget(_ node: NodeID) {
    trusted.remove(node)
    blocked.remove(node)
    unlist(node)
  }

  /// Forgets that a node was a member; whether it is trusted or blocked stays.
  mutating func unlist(_ node: NodeID) {
    if entries.removeValue(forKey: node) != nil { order.removeAll { $0 == node } }
  }

  /// Remembers that somebody forgot a node, up to a start of it; of too many the oldest go.
  mutating func noteForgotten(_ one: MeshMemory.Forgotten) {
    let instance = max(one.instance, forgottenInstance(of: one.node) ?? 0)
    forgotten.removeAll { $0.node == one.node }
    forgotten.append(MeshMemory.Forgotten(node: one.node, instance: instance))
    if forgotten.count > MeshLimits.forgotten { forgotten.removeFirst() }
  }

  /// Up to which start a node was forgotten; nil: it was not, or long ago.
  func forgottenInstance(of node: NodeID) -> UInt64? {
    forgotten.first { $0.node == node }?.instance
  }

  /// A later start of a node than was forgotten is here: the former is no matter any more.
  mutating func endForgetting(_ node: NodeID, before instance: UInt64) -> Bool {
    let count = forgotten.count
    forgotten.removeAll { $0.node == node && $0.instance < instance }
    return forgotten.count < count
  }
}
