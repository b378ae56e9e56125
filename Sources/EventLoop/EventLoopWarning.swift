/// Something the loop asked for and goes on without.
///
/// `errno` is positive.
public enum EventLoopWarning: Equatable, Sendable {
  /// SCHED_FIFO at this priority was refused.
  case scheduling(priority: Int, errno: Int32)
  /// Locking the memory was refused.
  case memoryLock(errno: Int32)
}
