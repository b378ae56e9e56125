public import Cryptography

/// Somebody to be connected to: a node, or whoever answers where the user said.
public enum PeerTarget: Hashable, Sendable {
  /// The node of this identity.
  case node(NodeID)
  /// The static peer of this number, whose identity shows when it answers.
  case named(Int)
}
