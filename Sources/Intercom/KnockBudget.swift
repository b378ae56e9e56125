import Cryptography

/// Which knocks are passed on, as anybody may send any number of them.
///
/// Each node that was a member, or that this one knocks at, has a share of its own; all others have one together. So who makes
/// IDs up keeps nobody known from being heard, and who takes a known one's ID wakes nothing that its own knock would not have.
struct KnockBudget {
  /// Half of what a sign of life is good for (`Mesh`, *proof of life*).
  private static let intervalNanoseconds: Int64 = 500_000_000
  /// As many as there are peers in a mesh.
  private static let mostKnown = 512

  /// When a knock of each was passed on last.
  private var known: [NodeID: Int64] = [:]
  private var others = AdmissionBudget()

  /// Gives a node its own share.
  mutating func know(_ node: NodeID) {
    guard known[node] == nil else { return }
    if known.count == Self.mostKnown { _ = known.popFirst() }
    known[node] = .min / 2
  }

  /// True when a knock of a node may be passed on now; allocates nothing.
  mutating func take(_ node: NodeID, nowNanoseconds: Int64) -> Bool {
    guard let last = known[node] else { return others.take(nowNanoseconds: nowNanoseconds) }
    guard nowNanoseconds - last >= Self.intervalNanoseconds else { return false }
    known[node] = nowNanoseconds
    return true
  }
}
