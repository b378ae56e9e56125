internal import Synchronization
internal import System

/// The thread that a ``NodeModel`` looks on while somebody follows.
///
/// It wakes once a look. On Swift's pool a look takes the thread that has the timers and two others, one after the
/// other. Tasks that prefer it run here, and on the pool once it has ended.
final class LookThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Who waits for the next look, and until when, CLOCK_MONOTONIC.
    var pause: (over: CheckedContinuation<Void, Never>, endNanoseconds: Int64)?
    /// A job has to wake it.
    var isAsleep = false
    var hasEnded = false
  }

  private static let longestSleepMilliseconds = 1000

  private let state = Mutex(State())
  private let thread = Mutex<BlockingThread?>(nil)

  /// Starts it.
  init() throws(SystemError) {
    let thread = try BlockingThread(name: "comlink-model") { [self] in run(on: $0) }
    try thread.start()
    self.thread.withLock { $0 = thread }
  }

  /// Any thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isTaken, isAsleep) = state.withLock { state in
      guard !state.hasEnded else { return (false, false) }
      state.jobs.append(job)
      defer { state.isAsleep = false }
      return (true, state.isAsleep)
    }
    if !isTaken { globalConcurrentExecutor.enqueue(job) }
    if isAsleep { wake() }
  }

  /// Waits, less where the task is cancelled or the thread ends; one task at a time.
  func pause(milliseconds: Int) async {
    let end = monotonicNanoseconds() + Int64(milliseconds) * 1_000_000
    await withTaskCancellationHandler {
      await withCheckedContinuation { over in
        let isWaiting = state.withLock { state in
          guard !state.hasEnded, !Task.isCancelled else { return false }
          state.pause = (over, end)
          return true
        }
        if !isWaiting { over.resume() }
      }
    } onCancel: {
      state.withLock { $0.pause.take() }?.over.resume()
    }
  }

  /// Ends the thread soon; what is left to do is done by the pool.
  ///
  /// Any thread, this one, too.
  func end() {
    _ = thread.withLock { $0.take() }?.stop(withinMilliseconds: 0)
  }

  private func wake() { thread.withLock { $0 }?.wake() }

  private func run(on thread: BlockingThread) {
    let executor = unsafe asUnownedTaskExecutor()
    while !thread.isStopping {
      let now = monotonicNanoseconds()
      let (jobs, over, sleep) = state.withLock { state in
        let jobs = state.jobs
        state.jobs.removeAll(keepingCapacity: true)
        let left = state.pause.map { $0.endNanoseconds - now }
        let over = left ?? 1 <= 0 ? state.pause.take()?.over : nil
        state.isAsleep = jobs.isEmpty && over == nil
        return (jobs, over, left.map { Int(($0 + 999_999) / 1_000_000) })
      }
      for job in jobs { unsafe job.runSynchronously(on: executor) }
      over?.resume()
      if jobs.isEmpty, over == nil {
        thread.sleep(milliseconds: sleep ?? Self.longestSleepMilliseconds)
      }
    }
    let (jobs, pause) = state.withLock { state in
      defer { (state.jobs, state.pause) = ([], nil) }
      state.hasEnded = true
      return (state.jobs, state.pause)
    }
    for job in jobs { globalConcurrentExecutor.enqueue(job) }
    pause?.over.resume()
  }
}
