import EventLoop
import Glibc
import Testing

/// An ordinary blocking UDP socket on this machine: the far end of the tests.
final class PlainSocket: Sendable {
  let descriptor: Int32
  let family: SocketAddress.Family

  init(_ family: SocketAddress.Family = .ipv4) throws {
    self.family = family
    descriptor = socket(family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(descriptor >= 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_storage(loopback(family, port: 0))
    let result = unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, nameLength)
      }
    }
    try #require(result == 0)
  }

  deinit { close(descriptor) }

  private var nameLength: socklen_t {
    socklen_t(
      family == .ipv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
  }

  var address: SocketAddress {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutablePointer(to: &name) { pointer in
      _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    let port = unsafe withUnsafeBytes(of: name) {
      unsafe UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
    return loopback(family, port: port)
  }

  @discardableResult
  func send(_ bytes: [UInt8], to destination: SocketAddress) -> Int {
    var name = sockaddr_storage(destination)
    return unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, bytes, bytes.count, 0, $0, nameLength)
      }
    }
  }

  /// The next datagram; nil: none came within the socket's time limit.
  func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    // The kernel interrupts the thread that made a ring when that ring goes away.
    repeat {
      count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    } while count < 0 && errno == EINTR
    return count < 0 ? nil : Array(bytes[..<count])
  }
}

/// 127.0.0.1 or ::1.
func loopback(_ family: SocketAddress.Family, port: UInt16) -> SocketAddress {
  family == .ipv4 ? .loopback(port: port) : SocketAddress(ipv6: 0, 1, port: port)
}

/// Whether this machine has ::1.
let hasIPv6 = (try? PlainSocket(.ipv6)) != nil

extension sockaddr_storage {
  /// Only 127.0.0.1 and ::1.
  init(_ address: SocketAddress) {
    self.init()
    unsafe withUnsafeMutableBytes(of: &self) { bytes in
      switch address.family {
      case .ipv4:
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        unsafe bytes.storeBytes(of: name, as: sockaddr_in.self)
      case .ipv6:
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = address.port.bigEndian
        name.sin6_addr = in6addr_loopback
        unsafe bytes.storeBytes(of: name, as: sockaddr_in6.self)
      }
    }
  }
}
