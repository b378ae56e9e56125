/// How a ``MeshNetwork`` treats what its nodes send.
public struct MeshNetworkModel: Sendable {
  /// From one node to another, uniform.
  public var delayNanoseconds: ClosedRange<Int64> = 500_000...20_000_000
  /// Chance that a packet of any kind is lost, 0...1; TCP sends again, which takes longer.
  public var loss = 0.0
  /// Chance that an announcement reaches a node when another starts, 0...1.
  public var multicast = 1.0
  /// From a node's start to its announcement, uniform.
  public var announcementNanoseconds: ClosedRange<Int64> = 20_000_000...300_000_000
  /// Whether a cut path refuses connections at once, and not by silence.
  public var refuses = false
  /// Whether messages are written and parsed on their way.
  public var isEncoded = false
  /// Whether the nodes' ``MeshTraffic`` is counted.
  public var isCounted = false

  /// Half a millisecond to 20 ms, nothing lost, multicast everywhere.
  public init() {}
}
