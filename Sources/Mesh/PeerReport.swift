public import Cryptography

/// One line on a peer, connected or not, for people to look at.
public struct PeerReport: Hashable, Sendable {
  /// Who it is, or how it was named.
  public let target: PeerTarget
  /// The name it told last; empty before.
  public let name: String
  /// How far the way to it is.
  public let progress: DialProgress
  /// Attempts that failed in a row.
  public let failureCount: Int
  /// When the attempt under way is given up at the latest; nil: none is.
  public let watchdogNanoseconds: Int64?
  /// Of a static peer: who answered there, where that is known.
  public let answeredBy: NodeID?
}
