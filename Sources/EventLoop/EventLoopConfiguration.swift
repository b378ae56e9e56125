/// How an event loop's thread is to run.
public struct EventLoopConfiguration: Sendable {
  /// SCHED_FIFO priority of the loop thread, 1 … 99, below JACK's; nil: ordinary scheduling.
  public var realtimePriority: Int?
  /// Whether to lock the whole process's memory (`mlockall`), page by page as it is touched.
  public var locksMemory: Bool
  /// The loop thread's stack.
  public var stackBytes: Int
  /// Jobs that other threads can leave before they must wait for the loop; a power of two.
  public var queuedJobs: Int
  /// The best way of completion to try; less than the best only in tests.
  var bestMode = EventLoopFeatures.CompletionMode.deferred

  /// Ordinary scheduling, unlocked memory, a stack of 1 MiB and 4096 jobs unless told otherwise.
  public init(
    realtimePriority: Int? = nil, locksMemory: Bool = false, stackBytes: Int = 1 << 20,
    queuedJobs: Int = 4096
  ) {
    self.realtimePriority = realtimePriority
    self.locksMemory = locksMemory
    self.stackBytes = stackBytes
    self.queuedJobs = queuedJobs
  }
}
