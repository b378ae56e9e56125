import CUring
import Synchronization

extension EventLoop: SerialExecutor {
  /// Leaves a job for the loop; waits (yielding) while the queue is full, but never loses one.
  ///
  /// Any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Once pushed, the job may run elsewhere and let go of the last reference to this loop. The caller
    // holds none, though the optimiser believes so and would remove a retain it can pair.
    let kept = unsafe uring_same(Unmanaged.passRetained(self).toOpaque())
    while !inbox.push(job) {
      runLateJobsIfEnded()
      uring_yield()
    }
    runLateJobsIfEnded()
    if let kept = unsafe kept { unsafe Unmanaged<EventLoop>.fromOpaque(kept).release() }
  }

  /// True on the loop thread, also when no Swift task runs: `assumeIsolated` works from a handler.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Traps off the loop thread.
  public func checkIsolated() {
    precondition(isCurrent, "not on the event-loop thread")
  }

  /// Not run right here: the enqueuing thread may hold locks that the job wants.
  private func runLateJobsIfEnded() {
    // Pairs with the store in stop(): the push's signal and the loop's `open` are read-modify-writes of
    // one flag, so either this sees the end or the last round of stop() sees the job.
    guard hasEnded.load(ordering: .sequentiallyConsistent), !isCurrent else { return }
    Task.detached { self.runLateJobs() }
  }
}
