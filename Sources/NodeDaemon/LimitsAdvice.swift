internal import Doctor
internal import Glibc

/// What to do about permissions that the system does not give.
enum LimitsAdvice {
  /// What was asked for in vain.
  enum Denied: Sendable {
    /// SCHED_FIFO with that priority.
    case realtimeScheduling(priority: Int)
    /// Keeping the daemon's memory in RAM.
    case memoryLock
    /// Memory for io_uring, which some kernels count as locked: there is no going on without.
    case ringMemory
  }

  /// The file for the lines, in the place where PAM reads limits (pam_limits(8)).
  static let path = LimitsFile.path
  /// The lines for that file.
  static let lines = LimitsFile.lines

  /// A warning with each consequence and the exact cure, which is the same for all.
  ///
  /// - Parameter denied: at least one.
  static func message(_ denied: [Denied], user: String) -> String {
    let consequences = denied.map(consequence).joined(separator: "; ")
    return """
      \(consequences). To allow \(denied.count > 1 ? "both" : "it"), put these lines into \(path):
      \(lines.map { "  " + $0 }.joined(separator: "\n"))
      then run `sudo usermod -aG audio \(user)`, log out and in again. (A systemd service needs \
      LimitRTPRIO=75 and LimitMEMLOCK=infinity instead.)
      """
  }

  private static func consequence(_ denied: Denied) -> String {
    switch denied {
    case .realtimeScheduling(let priority):
      "no permission for real-time scheduling (SCHED_FIFO \(priority)): audio may drop out when "
        + "the machine is busy"
    case .memoryLock:
      "no permission to lock memory: audio may drop out when memory is short"
    case .ringMemory:
      "no memory for io_uring: unless the machine is out of memory, the limit of locked memory "
        + "(RLIMIT_MEMLOCK) is too low; each node of a user needs 128 KiB"
    }
  }

  /// Whom this process runs as.
  static var user: String {
    guard let entry = unsafe getpwuid(getuid()) else { return "USER" }
    return unsafe String(cString: entry.pointee.pw_name)
  }
}
