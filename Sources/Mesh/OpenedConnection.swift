public import Cryptography

/// A connection that stands and whose other end proved who it is.
public struct OpenedConnection: Hashable, Sendable {
  /// The connection.
  public var connection: ConnectionID
  /// The node that TLS proved at the other end.
  public var node: NodeID
  /// Whether it also proved to hold the secret of a group of ours.
  public var provesGroup: Bool
  /// Where the other end is; its port is that of the connection.
  public var remote: NodeAddress?

  /// Makes a connection.
  public init(
    connection: ConnectionID, node: NodeID, provesGroup: Bool, remote: NodeAddress? = nil
  ) {
    self.connection = connection
    self.node = node
    self.provesGroup = provesGroup
    self.remote = remote
  }
}

/// One try to open a connection to one address; grows within an instance, never used twice.
public struct AttemptID: Hashable, Sendable {
  /// The number, above 0.
  public let rawValue: UInt64

  /// Makes an ID of its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A control connection, numbered by whoever opens it; never used twice.
public struct ConnectionID: Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Makes an ID of its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How far the way to a peer is.
public enum DialProgress: Hashable, Sendable {
  /// Nothing is done: there is no address, it said goodbye, or it declined.
  case resting
  /// The next attempt begins then.
  case waiting(untilNanoseconds: Int64)
  /// Its addresses are looked up.
  case resolving
  /// Connections are under way, of so many addresses to this one and those before it.
  case connecting(address: Int, of: Int)
  /// One is there; both prove who they are.
  case securing
  /// The other's hello is awaited.
  case greeting
  /// Somebody has to say whether it is let in.
  case asking
  /// It is a member.
  case connected
}

/// Somebody to be connected to: a node, or whoever answers where the user said.
public enum PeerTarget: Hashable, Sendable {
  /// The node of this identity.
  case node(NodeID)
  /// The static peer of this number, whose identity shows when it answers.
  case named(Int)
}
