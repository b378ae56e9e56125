import Cryptography

/// Nodes that were turned away a short time ago: strangers that were declined, or whoever flooded.
struct DeclinedList {
  private var entries: [(node: NodeID, instance: UInt64, untilNanoseconds: Int64)] = []

  /// - Parameter instance: the run that was turned away.
  mutating func add(_ node: NodeID, instance: UInt64, untilNanoseconds: Int64) {
    let before = entries.first { $0.node == node }?.instance ?? 0
    remove(node)
    entries.append((node, max(instance, before), untilNanoseconds))
    if entries.count > MeshLimits.declined { entries.removeFirst() }
  }

  mutating func remove(_ node: NodeID) {
    entries.removeAll { $0.node == node }
  }

  /// Forgets about a node of which this is a later run than was turned away; false where it is not.
  @discardableResult
  mutating func remove(_ node: NodeID, before instance: UInt64) -> Bool {
    let count = entries.count
    entries.removeAll { $0.node == node && $0.instance < instance }
    return entries.count < count
  }

  func contains(_ node: NodeID, nowNanoseconds: Int64) -> Bool {
    end(of: node).map { $0 > nowNanoseconds } ?? false
  }

  /// Until when a node is turned away, or was.
  func end(of node: NodeID) -> Int64? {
    entries.first { $0.node == node }?.untilNanoseconds
  }
}
