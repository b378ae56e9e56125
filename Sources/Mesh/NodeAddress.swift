/// Where a node listens: an IPv4 or IPv6 address and a port, held inline.
public struct NodeAddress: Hashable, Sendable {
  /// What stands before the port.
  public enum Host: Hashable, Sendable {
    /// The address its reader sees the sender at: nodes need not know their own.
    case observed
    /// The 32 bits of an IPv4 address, the first octet highest.
    case ipv4(UInt32)
    /// The two halves of an IPv6 address.
    case ipv6(UInt64, UInt64)
  }

  /// The address.
  public let host: Host
  /// The port.
  public let port: UInt16
  /// The interface of this machine that a link-local IPv6 address belongs to, by number; 0: none.
  ///
  /// Never sent. 0 for IPv4 always, where the system's routes tell which (RFC 3927 §2.6.2),
  /// or one address would seem to be two.
  public let scope: UInt32

  /// Makes an address of its parts.
  public init(_ host: Host, port: UInt16, scope: UInt32 = 0) {
    self.host = host
    self.port = port
    self.scope = if case .ipv6 = host { scope } else { 0 }
  }

  /// Whether it means something on one link only: 169.254.0.0/16 and fe80::/10.
  public var isLinkLocal: Bool {
    switch host {
    case .observed: false
    case .ipv4(let bits): bits >> 16 == 0xA9FE
    case .ipv6(let high, _): high >> 54 == 0x3FA
    }
  }

  /// Whether no packet could be sent there: IPv6 does not know by which interface.
  var lacksScope: Bool {
    if case .ipv6 = host { isLinkLocal && scope == 0 } else { false }
  }

  /// The same port where `host` was only to be ``Host/observed``.
  func seen(at observed: NodeAddress) -> NodeAddress {
    host == .observed ? NodeAddress(observed.host, port: port, scope: observed.scope) : self
  }
}
