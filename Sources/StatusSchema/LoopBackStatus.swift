/// Whose voice a node sends back in place of its own.
public struct LoopBackStatus: Codable, Hashable, Sendable {
  /// The peer.
  public var peer: String
  /// When it ends by itself.
  public var secondsLeft: Double

  /// Describes a loop-back.
  public init(peer: String, secondsLeft: Double) {
    (self.peer, self.secondsLeft) = (peer, secondsLeft)
  }
}
