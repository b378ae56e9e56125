import Cryptography

/// Nodes that were turned away a short time ago: strangers that were declined, or whoever flooded.
struct DeclinedList {
  private var entries: [(node: NodeID, untilNanoseconds: Int64)] = []

  mutating func add(_ node: NodeID, untilNanoseconds: Int64) {
    remove(node)
    entries.append((node, untilNanoseconds))
    if entries.count > MeshLimits.declined { entries.removeFirst() }
  }

  mutating func remove(_ node: NodeID) {
    entries.removeAll { $0.node == node }
  }

  func contains(_ node: NodeID, nowNanoseconds: Int64) -> Bool {
    end(of: node).map { $0 > nowNanoseconds } ?? false
  }

  /// Until when a node is turned away, or was.
  func end(of node: NodeID) -> Int64? {
    entries.first { $0.node == node }?.untilNanoseconds
  }
}
