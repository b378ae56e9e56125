import Glibc

/// Sends multicast DNS messages from one address of this host, as a responder there would (RFC 6762 §11).
struct MulticastSender {
  private let descriptor: Int32

  /// Nil: there is no such address, or no socket.
  init?(address: String) {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var one: Int32 = 1
    var hops: Int32 = 255
    var interface = in_addr()
    unsafe inet_aton(address, &interface)
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, size)
    unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &hops, size)
    unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &interface, size)
    var own = Self.socketAddress("0.0.0.0")
    guard unsafe Self.with(&own, { unsafe bind(descriptor, $0, $1) }) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
  }

  /// Whether the kernel took it.
  func send(_ message: [UInt8]) -> Bool {
    var group = Self.socketAddress("224.0.0.251")
    return unsafe Self.with(&group) {
      unsafe sendto(descriptor, message, message.count, 0, $0, $1)
    } == message.count
  }

  func close() { Glibc.close(descriptor) }

  private static func socketAddress(_ host: String) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(5353).bigEndian
    unsafe inet_aton(host, &address.sin_addr)
    return address
  }

  private static func with<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
