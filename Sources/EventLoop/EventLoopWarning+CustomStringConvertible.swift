extension EventLoopWarning: CustomStringConvertible {
  /// One sentence: what was refused and what it means.
  public var description: String {
    switch self {
    case .scheduling(let priority, let code):
      "no real-time scheduling (SCHED_FIFO \(priority)): \(errorText(code)); "
        + "sound may break up when the machine is busy"
    case .memoryLock(let code):
      "memory is not locked: \(errorText(code)); sound may break up when the machine swaps"
    }
  }
}
