import CRealtime
import Glibc
import Testing

/// A socket to the plugin without an engine behind it, for frames that no comlinkd sends.
final class RawLink {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0, "\(path): \(errno)")
  }

  deinit {
    close(descriptor)
  }

  /// Says nothing more; the other side sees the end.
  func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Sends a frame; false when the other side has gone.
  @discardableResult func send(_ frame: [UInt8], descriptors: [Int32] = []) -> Bool {
    unsafe rt_link_send(descriptor, frame, frame.count, descriptors, UInt32(descriptors.count)) == 0
  }

  /// What came within five seconds; nil when the other side has gone, empty: nothing.
  func receive() -> [UInt8]? {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&ready, 1, 5000) == 1 else { return [] }
    var frame = [UInt8](repeating: 0, count: 1 << 18)
    let bytes = unsafe recv(descriptor, &frame, frame.count, 0)
    return bytes > 0 ? Array(frame.prefix(bytes)) : nil
  }

  /// The result in the welcome that comes next; nil: the other side has gone without one.
  func welcomeResult() -> Int32? {
    guard let frame = receive(), !frame.isEmpty else { return nil }
    return unsafe rt_link_check_welcome(frame, frame.count)
  }

  /// A hello as comlinkd's.
  static func hello(client: String = "comlink") -> [UInt8] {
    var hello = rt_link_hello()
    hello.version = rt_link_own_version()
    unsafe withUnsafeMutableBytes(of: &hello.client_name) { unsafe $0.copyBytes(from: client.utf8) }
    return unsafe withUnsafeBytes(of: hello) { unsafe Array($0) }
  }
}
