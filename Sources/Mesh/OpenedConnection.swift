public import Cryptography

/// An open connection whose other end has proved its identity.
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

/// Progress of the connection to a peer.
public enum DialProgress: Hashable, Sendable {
  /// No attempt: there is no address, it said goodbye, or it declined.
  case resting
  /// The next attempt begins then.
  case waiting(untilNanoseconds: Int64)
  /// Its addresses are looked up.
  case resolving
  /// Connections are under way, of so many addresses to this one and those before it.
  case connecting(address: Int, of: Int)
  /// One is open; both ends prove their identity.
  case securing
  /// The other's hello is awaited.
  case greeting
  /// One side's user must admit the other.
  case asking
  /// It is a member.
  case connected
}

/// The target of a connection: a node, or whoever answers at a static peer's address.
public enum PeerTarget: Hashable, Sendable {
  /// The node of this identity.
  case node(NodeID)
  /// The static peer of this number, whose identity shows when it answers.
  case named(Int)
}
