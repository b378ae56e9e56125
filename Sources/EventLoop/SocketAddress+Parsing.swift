import Glibc

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
    if parts.isBracketed {
      try self.init(ipv6: parts)
      return
    }
    var bits = in_addr()
    if unsafe inet_pton(AF_INET, parts.host, &bits) == 1 {
      self.init(ipv4: UInt32(bigEndian: bits.s_addr), port: parts.port)
      return
    }
    guard parts.host.contains(where: { !($0 == "." || $0.isNumber) }) else {
      throw .malformedIPv4(text: parts.text, host: parts.host)
    }
    return nil
  }

  private init(ipv6 parts: HostAndPort) throws(AddressError) {
    let pieces = parts.host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var bits = in6_addr()
    guard let address = pieces.first, unsafe inet_pton(AF_INET6, String(address), &bits) == 1 else {
      throw .malformedIPv6(text: parts.text, host: parts.host)
    }
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
