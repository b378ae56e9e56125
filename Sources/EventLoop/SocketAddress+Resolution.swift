import Dispatch
import Glibc

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
