internal import Glibc

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
