import Foundation
import Glibc

/// A TCP connection to a panel, for requests as well as for what is none.
final class Visitor {
  private let socket: Int32

  /// Connects to the loopback address.
  init?(port: Int) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { return nil }
  }

  deinit { close(socket) }

  /// Sends it, or a part if there is no room for more; false: the other end has closed.
  @discardableResult func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    return unsafe Glibc.send(socket, bytes, bytes.count, flags) >= 0 || errno == EAGAIN
  }

  /// All that comes until the other end closes, within 20 s.
  ///
  /// It waits without a thread: the panel's answers need those of Swift's pool.
  func rest() async -> String {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    let end = ContinuousClock.now + .seconds(20)
    while .now < end {
      let count = unsafe recv(socket, &part, part.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        all += part[..<count]
      } else if count < 0, errno == EAGAIN {
        try? await Task.sleep(for: .milliseconds(2))
      } else {
        break
      }
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// The answer to a request.
  static func answer(_ request: String, port: Int) async -> String {
    guard let visitor = Visitor(port: port) else { return "no connection" }
    visitor.send(request)
    return await visitor.rest()
  }
}
