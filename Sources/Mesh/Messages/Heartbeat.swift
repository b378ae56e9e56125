public import Cryptography

/// A sign of life with the sender's connected members.
public struct Heartbeat: Hashable, Sendable {
  /// Most members that one heartbeat carries; readers ignore the rest.
  public static let maximumMembers = 64

  /// A member the sender is connected to, as gossip: hearsay, which proves nothing about it.
  public struct Notice: Hashable, Sendable {
    /// Most addresses of one notice.
    public static let maximumAddresses = 4

    /// The member.
    public var node: NodeID
    /// Its count of starts.
    public var instance: UInt64
    /// Where it takes control connections.
    public var addresses: [NodeAddress]

    /// Makes a notice.
    public init(node: NodeID, instance: UInt64, addresses: [NodeAddress]) {
      self.node = node
      self.instance = instance
      self.addresses = addresses
    }
  }

  /// How many members the sender is connected to.
  public var memberCount: Int
  /// Those of them not yet sent to the receiver, now and then one already sent, or all where the counts differ.
  public var members: [Notice]
  /// Whether the receiver is to send its own at once, so that TCP acknowledges along with it.
  public var asks: Bool

  /// Makes a heartbeat.
  public init(memberCount: Int = 0, members: [Notice] = [], asks: Bool = false) {
    self.memberCount = memberCount
    self.members = members
    self.asks = asks
  }
}
