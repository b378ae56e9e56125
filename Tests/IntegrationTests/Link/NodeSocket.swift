import Glibc

@testable import TestRig

/// A non-blocking socket of a node behind the link, bound to a port.
struct NodeSocket: ~Copyable {
  /// IPv4 or IPv6.
  enum Family: CaseIterable { case v4, v6 }

  private static let port: UInt16 = 5004
  private static let device = "eth0"

  let descriptor: Int32
  private let family: Family
  /// The device's number in its namespace.
  private let scope: UInt32

  /// Opens it in a node's namespace.
  ///
  /// - Throws: `RigError`.
  init(
    _ family: Family, in namespace: String, type: __socket_type = SOCK_DGRAM
  ) throws(RigError) {
    let kind = Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    self.family = family
    (descriptor, scope) = try Namespace.within(namespace) { () throws(RigError) in
      let descriptor = socket(family == .v4 ? AF_INET : AF_INET6, kind, 0)
      let wildcard = family == .v4 ? "0.0.0.0" : "::"
      let result = unsafe Self.withAddress(wildcard, scope: 0) { address, length in
        unsafe bind(descriptor, address, length)
      }
      guard result == 0 else {
        close(descriptor)
        throw .launch(command: "a socket in \(namespace)", reason: systemMessage(errno))
      }
      return (descriptor, unsafe if_nametoindex(Self.device))
    }
  }

  deinit { close(descriptor) }

  /// The address of the node of an index.
  static func address(_ family: Family, ofNode index: Int) -> String {
    family == .v4 ? "10.77.0.\(index + 1)" : "fd77:c0:11::\(index + 1)"
  }

  /// Sends to a node or a group; what the kernel refuses is lost.
  func send(_ bytes: [UInt8], to address: String) {
    _ = unsafe Self.withAddress(address, scope: scope) { address, length in
      Int32(unsafe sendto(descriptor, bytes, bytes.count, 0, address, length))
    }
  }

  /// Connects a TCP socket; what comes of it shows in sending.
  func connect(to address: String) {
    _ = unsafe Self.withAddress(address, scope: scope) { address, length in
      unsafe Glibc.connect(descriptor, address, length)
    }
  }

  /// The next datagram, nil when there is none.
  func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count >= 0 ? Array(bytes[..<count]) : nil
  }

  /// Lets it send to all.
  func allowBroadcast() {
    var on: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_BROADCAST, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Hears what is sent to a group.
  func join(_ group: String) -> Bool {
    switch family {
    case .v4:
      var request = ip_mreqn()
      unsafe inet_pton(AF_INET, group, &request.imr_multiaddr)
      request.imr_ifindex = Int32(scope)
      let length = socklen_t(MemoryLayout<ip_mreqn>.size)
      return unsafe setsockopt(
        descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, length) == 0
    case .v6:
      var request = ipv6_mreq()
      unsafe inet_pton(AF_INET6, group, &request.ipv6mr_multiaddr)
      request.ipv6mr_interface = scope
      let length = socklen_t(MemoryLayout<ipv6_mreq>.size)
      return unsafe setsockopt(
        descriptor, Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request, length) == 0
    }
  }

  private static func withAddress(
    _ text: String, scope: UInt32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    guard text.contains(":") else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe inet_pton(AF_INET, text, &address.sin_addr)
      return unsafe generic(&address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_scope_id = text.hasPrefix("ff") ? scope : 0
    unsafe inet_pton(AF_INET6, text, &address.sin6_addr)
    return unsafe generic(&address, body)
  }

  private static func generic<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe body(generic, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
