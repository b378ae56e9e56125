/// Something the loop asked for and goes on without.
///
/// `errno` is positive.
public enum EventLoopWarning: Equatable, Sendable {
  /// SCHED_FIFO at this priority was refused.
  case scheduling(priority: Int, errno: Int32)
  /// Locking the memory was refused.
  case memoryLock(errno: Int32)

  /// The lines that permit it, for a file in /etc/security/limits.d and a group named `audio`.
  public var limitsLines: [String] {
    switch self {
    case .scheduling(let priority, _): ["@audio - rtprio \(max(priority, 95))"]
    case .memoryLock: ["@audio - memlock unlimited"]
    }
  }
}
