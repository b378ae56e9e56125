internal import Glibc
internal import System

/// The way to systemd for notices, a datagram each (sd_notify(3)).
final class NotifySocket: Sendable {
  private let descriptor: Int32

  /// Opens the way.
  ///
  /// - Parameter name: a path, or `@` and an abstract name, as in `NOTIFY_SOCKET`.
  /// - Throws: a positive errno; `EAFNOSUPPORT` for other kinds of names.
  init(_ name: String) throws(Errno) {
    guard name.hasPrefix("/") || name.hasPrefix("@") else { throw Errno(code: EAFNOSUPPORT) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    // An abstract name begins with a zero and ends where the address ends (unix(7)).
    let path = Array(
      name.utf8.first == UInt8(ascii: "@") ? [0] + name.utf8.dropFirst() : Array(name.utf8))
    guard path.count < room else { throw Errno(code: ENAMETOOLONG) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Errno(code: errno) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size - room + path.count)
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, size) == 0 ? 0 : errno
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw Errno(code: code)
    }
  }

  deinit { close(descriptor) }

  /// Sends a notice; waits while systemd's queue is full.
  ///
  /// - Parameter notice: lines of `NAME=value`.
  /// - Throws: a positive errno.
  func send(_ notice: String) throws(Errno) {
    let octets = Array(notice.utf8)
    _ = try SystemCall.perform(Errno.init) {
      unsafe Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// What the system answered.
  struct Errno: Error, CustomStringConvertible {
    let code: Int32
    var description: String { errorWords(code) }
  }
}

/// What systemd tells a service in its environment (sd_notify(3), sd_watchdog_enabled(3)).
struct ServiceEnvironment: Equatable, Sendable {
  private static let socketName = "NOTIFY_SOCKET"
  private static let watchdogName = "WATCHDOG_USEC"
  private static let watchdogProcessName = "WATCHDOG_PID"

  /// Where notices go: a path, or `@` and an abstract name; nil: nobody wants any.
  let notifySocket: String?
  /// How long systemd waits for a sign of life before it restarts the service; nil: it wants none.
  let watchdogMicroseconds: UInt64?

  /// Reads the variables; a watchdog meant for another process is none of ours.
  init(_ environment: [String: String], process: Int32) {
    notifySocket = environment[Self.socketName].flatMap { $0.isEmpty ? nil : $0 }
    let isForUs = environment[Self.watchdogProcessName].map { Int32($0) == process } ?? true
    let microseconds = environment[Self.watchdogName].flatMap { UInt64($0) } ?? 0
    watchdogMicroseconds =
      isForUs && microseconds > 0 && microseconds < UInt64(Int64.max) / 1000 ? microseconds : nil
  }

  /// Takes the variables away, so that programs which this one starts do not speak in its name.
  ///
  /// Only before the process has a second thread.
  static func removeFromThisProcess() {
    for name in [socketName, watchdogName, watchdogProcessName] { unsafe unsetenv(name) }
  }
}
