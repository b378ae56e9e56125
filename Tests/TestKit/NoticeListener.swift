import Glibc

/// The end of a service manager at which its services' notices arrive (sd_notify(3)).
public final class NoticeListener: Sendable {
  private let descriptor: Int32
  private let path: String?

  /// Binds a socket, at a path or, after `@`, at an abstract name.
  ///
  /// - Throws: `SystemFailure`.
  public init(_ name: String) throws {
    let isAbstract = name.hasPrefix("@")
    path = isAbstract ? nil : name
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(isAbstract ? [0] + name.utf8.dropFirst() : Array(name.utf8))
    let room = MemoryLayout.size(ofValue: address.sun_path)
    precondition(octets.count < room, "the name is too long for a socket: \(name)")
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: octets) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size - room + octets.count)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0 ? 0 : errno
      }
    }
    guard code == 0 else { throw SystemFailure(code: code) }
  }

  deinit {
    close(descriptor)
    if let path { unsafe unlink(path) }
  }

  /// The next notice; nil: none came in time.
  public func next(withinMilliseconds limit: Int32) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, limit) > 0 else { return nil }
    var octets = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &octets, octets.count, 0)
    return count < 0 ? nil : String(decoding: octets.prefix(count), as: UTF8.self)
  }

  /// Leaves no room for another notice: whoever sends one waits.
  public func fill() {
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(sender) }
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(descriptor, $0, &size)
        _ = unsafe connect(sender, $0, size)
      }
    }
    while unsafe send(sender, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
  }

  /// The socket could not be had.
  public struct SystemFailure: Error {
    /// A positive errno.
    public let code: Int32
  }
}
