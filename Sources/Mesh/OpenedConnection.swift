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
