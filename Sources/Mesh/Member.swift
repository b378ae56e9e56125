public import Cryptography

/// A node that is connected and admitted.
public struct Member: Hashable, Sendable {
  /// Who it is, as its connection proved.
  public let node: NodeID
  /// Which run of it.
  public let instance: UInt64
  /// What it tells about itself; its addresses are complete.
  public let profile: NodeProfile
  /// Whether it is here by a group's secret, and not by the user's word or an open policy.
  public let isInGroup: Bool
}
