/// An IPv4 or IPv6 address with its UDP port, held inline: copying one never allocates.
///
/// IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2) become IPv4, so that a peer has one address
/// whatever socket it was heard on.
public struct SocketAddress: Hashable, Sendable {
  /// The Internet protocol's version.
  public enum Family: Sendable {
    /// IPv4.
    case ipv4
    /// IPv6.
    case ipv6
  }

  /// The protocol of the address.
  public let family: Family
  /// The UDP port.
  public let port: UInt16
  /// The interface a link-local IPv6 address belongs to, by number; 0: none.
  public let scope: UInt32
  /// An IPv6 address's first 64 bits; 0 for IPv4.
  let high: UInt64
  /// An IPv6 address's last 64 bits, or the 32 bits of IPv4.
  let low: UInt64

  /// An IPv4 address from its 32 bits, the first octet highest: 127.0.0.1 is `0x7f00_0001`.
  public init(ipv4 bits: UInt32, port: UInt16) {
    family = .ipv4
    self.port = port
    scope = 0
    high = 0
    low = UInt64(bits)
  }

  /// An IPv6 address from its two halves; becomes IPv4 if it is IPv4-mapped.
  public init(ipv6 high: UInt64, _ low: UInt64, scope: UInt32 = 0, port: UInt16) {
    let isMapped = high == 0 && low >> 32 == 0xffff
    family = isMapped ? .ipv4 : .ipv6
    self.port = port
    self.scope = isMapped ? 0 : scope
    self.high = high
    self.low = isMapped ? low & 0xffff_ffff : low
  }

  /// The 32 bits of an IPv4 address, the first octet highest; nil for IPv6.
  public var ipv4Bits: UInt32? {
    family == .ipv4 ? UInt32(truncatingIfNeeded: low) : nil
  }

  /// Both halves of the IPv6 address; of an IPv4 address those of its mapped form (RFC 4291 §2.5.5.2).
  public var ipv6Halves: (high: UInt64, low: UInt64) {
    family == .ipv6 ? (high, low) : (0, 0xffff_0000_0000 | low)
  }

  /// 127.0.0.1, with the given port.
  public static func loopback(port: UInt16) -> SocketAddress {
    SocketAddress(ipv4: 0x7f00_0001, port: port)
  }

  /// Whether the address can be reached only from this machine: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    switch family {
    case .ipv4: low >> 24 == 127
    case .ipv6: high == 0 && low == 1
    }
  }
}
