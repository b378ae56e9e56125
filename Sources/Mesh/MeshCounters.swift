/// What was refused; only grows.
public struct MeshCounters: Hashable, Sendable {
  /// Connections closed because of a lower instance.
  public internal(set) var ghosts = 0
  /// Connections closed because their hello named another node.
  public internal(set) var wrongIdentities = 0
  /// Connections of blocked nodes.
  public internal(set) var blocked = 0
  /// Connections beyond what strangers, or one node, may have.
  public internal(set) var crowded = 0
  /// Connections that gave no hello, or no answer, in time.
  public internal(set) var late = 0
  /// Messages that could not come there, and goodbyes that were not the sender's own.
  public internal(set) var outOfTurn = 0
  /// Connections closed in favour of another of the same pair.
  public internal(set) var duplicates = 0
  /// Connections closed, or not taken, because of messages beyond ``MeshLimits/messagesPerSecond``.
  public internal(set) var floods = 0
  /// Announcements and gossip beyond what is kept.
  public internal(set) var hearsayDropped = 0

  /// Nothing refused.
  public init() {}
}
