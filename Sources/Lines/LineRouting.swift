public import Cryptography
public import RTP

/// Whom a node's sound goes to, and of whom it plays what: what the media path has to know of lines.
public struct LineRouting: Sendable, Equatable {
  /// What is so of one member.
  public struct Member: Sendable, Equatable {
    /// This node's lines that it is on: packets for one of them are sent to it.
    public var addressed: LineSet
    /// By the member's numbers, how loud its packets for that line are played, as a factor; 0: not at all.
    public var gains: [Float]

    /// One that is on these lines.
    public init(addressed: LineSet, gains: [Float]) {
      (self.addressed, self.gains) = (addressed, gains)
    }

    /// One of whom nothing is known: it is on `all`.
    public static let unknown = Member(
      addressed: .everyone, gains: [1] + [Float](repeating: 0, count: LineSet.capacity - 1))
  }

  /// The lines that are talked to; empty: the microphone is closed.
  public var talk: LineSet = []
  /// Whether packets say which lines they are for: this node is on others than `all`.
  public var tellsLines = false
  /// Those of whom more is known than that they are members.
  public var members: [NodeID: Member] = [:]
  /// What holds for others.
  public var others = Member.unknown

  /// Nobody is talked to.
  public init() {}
}
