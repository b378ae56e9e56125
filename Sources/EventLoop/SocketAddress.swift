import CUring
import Dispatch
import Glibc

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

  /// Whether it stands for all addresses of this machine: 0.0.0.0 or ::.
  public var isEverywhere: Bool { high == 0 && low == 0 }

  /// Whether the address can be reached only from this machine: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    switch family {
    case .ipv4: low >> 24 == 127
    case .ipv6: high == 0 && low == 1
    }
  }
}

extension SocketAddress {
  /// From the C side's form, which is normalised already.
  init(_ address: uring_address) {
    if address.is_ipv6 {
      self.init(ipv6: address.high, address.low, scope: address.scope, port: address.port)
    } else {
      self.init(ipv4: UInt32(truncatingIfNeeded: address.low), port: address.port)
    }
  }

  /// The C side's form.
  var uringAddress: uring_address {
    uring_address(high: high, low: low, scope: scope, port: port, is_ipv6: family == .ipv6)
  }
}

extension SocketAddress: CustomStringConvertible {
  /// `192.0.2.1:5004` or `[2001:db8::1]:5004`, in the form of RFC 5952 §4 and §6; it parses back to
  /// the same address.
  public var description: String {
    switch family {
    case .ipv4: "\(hostDescription):\(port)"
    case .ipv6: "[\(hostDescription)]:\(port)"
    }
  }

  /// The address without brackets and port; a scope stands behind it by number, as in `fe80::1%2`.
  public var hostDescription: String {
    switch family {
    case .ipv4: Self.parts(of: low, bits: 8, count: 4).map(String.init).joined(separator: ".")
    case .ipv6: ipv6Description + (scope == 0 ? "" : "%\(scope)")
    }
  }

  private var ipv6Description: String {
    let groups = Self.parts(of: high, bits: 16, count: 4) + Self.parts(of: low, bits: 16, count: 4)
    let zeros = Self.longestZeroRun(in: groups)
    let texts = groups.map { String($0, radix: 16) }
    guard zeros.count >= 2 else { return texts.joined(separator: ":") }
    let head = texts[..<zeros.lowerBound].joined(separator: ":")
    let tail = texts[zeros.upperBound...].joined(separator: ":")
    return head + "::" + tail
  }

  /// The lowest `count` groups of `bits` bits, the highest group first.
  private static func parts(of number: UInt64, bits: UInt64, count: UInt64) -> [UInt64] {
    (1...count).map { (index: UInt64) -> UInt64 in
      let shift = (count - index) * bits
      return (number >> shift) & ((1 << bits) - 1)
    }
  }

  /// The first of the longest runs of zero groups (RFC 5952 §4.2).
  private static func longestZeroRun(in groups: [UInt64]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest
  }
}

extension SocketAddress {
  /// Reads a numeric `ADDRESS:PORT`: `192.0.2.1:5004`, `[2001:db8::1]:5004` or
  /// `[fe80::1%eth0]:5004`.
  ///
  /// Any thread; does not look up names.
  public init(parsing text: String) throws(AddressError) {
    let parts = try HostAndPort(text)
    guard let address = try SocketAddress(numeric: parts) else {
      throw .name(text: text, host: parts.host)
    }
    self = address
  }

  /// Nil: the host is a name.
  init?(numeric parts: HostAndPort) throws(AddressError) {
    switch parts.kind {
    case .name: return nil
    case .ipv6: try self.init(ipv6: parts)
    case .ipv4:
      var bits = in_addr()
      _ = unsafe inet_pton(AF_INET, parts.host, &bits)
      self.init(ipv4: UInt32(bigEndian: bits.s_addr), port: parts.port)
    }
  }

  private init(ipv6 parts: HostAndPort) throws(AddressError) {
    let pieces = parts.host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var bits = in6_addr()
    _ = unsafe inet_pton(AF_INET6, String(pieces[0]), &bits)
    let scope = pieces.count == 2 ? try Self.scope(String(pieces[1]), in: parts.text) : 0
    let halves = unsafe withUnsafeBytes(of: bits) { bytes in
      unsafe (
        bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
    }
    self.init(
      ipv6: UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1), scope: scope,
      port: parts.port)
  }

  private static func scope(_ scope: String, in text: String) throws(AddressError) -> UInt32 {
    if let number = UInt32(scope), number > 0 { return number }
    let number = unsafe if_nametoindex(scope)
    guard number > 0 else { throw .unknownScope(text: text, scope: scope) }
    return number
  }
}

extension SocketAddress {
  /// Finds the addresses of a text as ``resolve(_:)`` does, best first.
  public typealias Resolver = @Sendable (String) async throws(AddressError) -> [SocketAddress]

  /// Reads `ADDRESS:PORT` or looks up `NAME:PORT`, best address first.
  ///
  /// The look-up blocks, possibly for many seconds, on a thread of its own: neither the loop nor
  /// Swift's pool waits.
  public static func resolve(_ text: String) async throws(AddressError) -> [SocketAddress] {
    let parts = try HostAndPort(text)
    if let address = try SocketAddress(numeric: parts) { return [address] }
    let outcome = await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(returning: lookUp(parts))
      }
    }
    return try outcome.get()
  }

  private static func lookUp(_ parts: HostAndPort) -> Result<[SocketAddress], AddressError> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(parts.host, nil, &hints, &list)
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let name = unsafe entry.pointee.ai_addr,
        let address = unsafe SocketAddress(name, port: parts.port), !addresses.contains(address)
      {
        addresses.append(address)
      }
      unsafe next = entry.pointee.ai_next
    }
    guard status == 0, !addresses.isEmpty else {
      let reason = unsafe status == 0 ? "no address" : String(cString: gai_strerror(status))
      return .failure(.unresolvable(text: parts.text, host: parts.host, reason: reason))
    }
    return .success(addresses)
  }

  /// Nil: neither IPv4 nor IPv6.
  private init?(_ name: UnsafeMutablePointer<sockaddr>, port: UInt16) {
    let bytes = UnsafeRawPointer(name)
    switch Int32(unsafe name.pointee.sa_family) {
    case AF_INET:
      let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
      self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr), port: port)
    case AF_INET6:
      let scope = unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_scope_id
      let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
      let high = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let low = unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
      self.init(
        ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low), scope: scope, port: port)
    default: return nil
    }
  }
}
