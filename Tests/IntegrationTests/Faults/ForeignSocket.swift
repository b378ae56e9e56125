import Glibc
import TestRig

/// A socket of somebody else on 127.0.0.0/8: of UDP, who may send anything to a node, or one that listens by TCP.
final class ForeignSocket: Sendable {
  /// The port the system chose.
  let port: Int
  private let descriptor: Int32

  /// Binds any port of the loopback address that ends in `host`.
  init(host: UInt8 = 1, listens: Bool = false) throws(RigError) {
    let kind = Int32((listens ? SOCK_STREAM : SOCK_DGRAM).rawValue)
    descriptor = socket(AF_INET, kind | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = Self.name(host: host, port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard unsafe bind(descriptor, generic, length) == 0,
          !listens || listen(descriptor, 1) == 0
        else { return Int32(-1) }
        return unsafe getsockname(descriptor, generic, &length)
      }
    }
    port = Int(UInt16(bigEndian: name.sin_port))
    guard result == 0 else {
      throw .launch(command: "a socket on 127.0.0.\(host)", reason: "errno \(errno)")
    }
  }

  deinit { close(descriptor) }

  /// Sends one datagram to a port of 127.0.0.1; what the system refuses is lost.
  func send(_ bytes: [UInt8], to port: Int) {
    let name = Self.name(host: 1, port: port)
    unsafe withUnsafePointer(to: name) { pointer in
      _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(
          descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// The next datagram that waits already; nil: none does.
  func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : Array(bytes[..<count])
  }

  private static func name(host: UInt8, port: Int) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    name.sin_addr.s_addr = (0x7f00_0000 | UInt32(host)).bigEndian
    return name
  }
}
