import Cryptography

/// Strangers that were declined a short time ago.
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
    entries.contains { $0.node == node && $0.untilNanoseconds > nowNanoseconds }
  }
}
