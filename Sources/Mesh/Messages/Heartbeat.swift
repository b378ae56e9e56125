/// A sign of life with the sender's connected members.
public struct Heartbeat: Hashable, Sendable {
  /// Most members that one heartbeat carries; readers ignore the rest.
  public static let maximumMembers = 64
  /// Most addresses of one of them.
  public static let maximumAddresses = 4

  /// How many members the sender is connected to.
  public var memberCount: Int
  /// Those of them not yet sent to the receiver, now and then one already sent, or all where the counts differ:
  /// hearsay, which proves nothing about them.
  public var members: [NodeRecord]
  /// Whether the receiver is to send its own at once, so that TCP acknowledges along with it.
  public var asks: Bool

  /// Makes a heartbeat.
  public init(memberCount: Int = 0, members: [NodeRecord] = [], asks: Bool = false) {
    self.memberCount = memberCount
    self.members = members
    self.asks = asks
  }
}
