/// What a link did to the packets it was given; of copies only `duplicated` speaks.
public struct LinkCounters: Hashable, Sendable {
  /// Packets that arrive.
  public var forwarded = 0
  /// Packets lost, alone or in bursts.
  public var lost = 0
  /// Packets of which a copy arrives too.
  public var duplicated = 0
  /// Packets sent on a detour, so that later ones overtake them.
  public var reordered = 0
  /// Packets for which the queue of the rate cap had no room.
  public var dropped = 0

  /// Nothing yet.
  public init() {}
}
