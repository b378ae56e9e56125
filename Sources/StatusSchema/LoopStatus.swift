/// The media loop's part of a ``Status``.
public struct LoopStatus: Sendable, Hashable, Codable {
  /// Times the loop woke up since the daemon started.
  public var wakes: Int
  /// Times the loop's thread entered the kernel: one a wake-up, seldom more.
  public var enters: Int
  /// Median time from the end of the process callback to the loop running, microseconds.
  public var wakeLatencyP50Microseconds: Double
  /// The same, 99th percentile.
  public var wakeLatencyP99Microseconds: Double
  /// The loop thread's scheduling: `fifo 55`, or `other` without the permission for real time.
  public var scheduling: String
  /// Whether the daemon's memory is locked in RAM.
  public var memoryLocked: Bool

  /// The loop's part.
  public init(
    wakes: Int, enters: Int, wakeLatencyP50Microseconds: Double,
    wakeLatencyP99Microseconds: Double, scheduling: String, memoryLocked: Bool
  ) {
    self.wakes = wakes
    self.enters = enters
    self.wakeLatencyP50Microseconds = wakeLatencyP50Microseconds
    self.wakeLatencyP99Microseconds = wakeLatencyP99Microseconds
    self.scheduling = scheduling
    self.memoryLocked = memoryLocked
  }
}
