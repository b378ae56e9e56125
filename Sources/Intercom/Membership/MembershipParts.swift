public import Cryptography
public import EventLoop
public import Mesh

/// What a ``Membership`` needs of its surroundings.
public struct MembershipParts: Sendable {
  /// The control connections.
  public var transport: any ControlTransport
  /// Looks a host up.
  public var resolve: SocketAddress.Resolver = SocketAddress.resolve
  /// Has discovery ask anew where a node is; it tells what is found out.
  public var rediscover: @Sendable (NodeID) -> Void
  /// Whether media can be sent to IPv6 addresses: the socket is bound to one.
  public var takesIPv6: Bool
  /// What nodes called themselves in a former run.
  public var names: [NodeID: String]
  /// Keeps what is to outlive this run, or says why it cannot; may take its time.
  public var store: @Sendable (MeshMemory) async -> String?
  /// Told what happens; must not block.
  public var report: @Sendable (MembershipEvent) -> Void

  /// Takes the parts.
  public init(
    transport: any ControlTransport, takesIPv6: Bool,
    names: [NodeID: String] = [:],
    rediscover: @escaping @Sendable (NodeID) -> Void = { _ in },
    store: @escaping @Sendable (MeshMemory) async -> String?,
    report: @escaping @Sendable (MembershipEvent) -> Void
  ) {
    self.transport = transport
    self.names = names
    self.rediscover = rediscover
    self.takesIPv6 = takesIPv6
    self.store = store
    self.report = report
  }
}
