import Audio
public import Cryptography

/// A peer whose voice this node sends back in place of its own, with its user's consent and for a limited time.
struct LoopBack {
  let slot: PeerSlot
  let name: String
  let untilNanoseconds: Int64
}

/// A peer as tests name it.
public struct TrialPeer: Sendable, Hashable {
  /// What this node calls it.
  public let name: String
  /// Who it is; nil where media are in clear.
  public let node: NodeID?
}
