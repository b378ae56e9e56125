import Glibc
import Testing

/// Somebody who sends a receiver report (RFC 3550 §6.4.2) and never reads an answer.
final class MuteStranger {
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  /// Sends one to a port of 127.0.0.1.
  func report(to port: UInt16) {
    let bytes: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafePointer(to: name) { pointer in
      _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, bytes, bytes.count, 0, $0, length)
      }
    }
  }
}
