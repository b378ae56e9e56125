import CUring
import Synchronization

/// One thread that waits in `io_uring_enter`, takes datagrams in batches and is an executor of
/// Swift jobs.
///
/// It wakes when the audio thread writes 1 to `wakeDescriptor` (at most once per JACK period), when another
/// thread leaves a job, or at the deadline its handler named. Datagrams that come meanwhile wait in
/// the socket and are all taken at the next wake-up, or cause one where the handler asked for that; sends go out with
/// the next wait. In steady state a wake-up is one system call and no allocation.
///
/// Actors that name the loop as their `unownedExecutor` run on its thread. A task that touches them
/// should be made with `executorPreference: loop`, or each of its resumptions goes by way of
/// Swift's pool.
///
/// States: made → `start` → running → `stop` → ended. Jobs left after the end are not lost: they
/// run on Swift's pool, one at a time.
public final class EventLoop: @unchecked Sendable {
  struct Lifecycle {
    enum Phase { case made, running, ended }
    var phase = Phase.made
    var thread: UInt64?
    var enableErrno: Int32 = 0
    var schedulingWarning: EventLoopWarning?
    var realtimePriority: Int?
    var features: EventLoopFeatures
    var finalCounters = uring_counters()
  }

  let configuration: EventLoopConfiguration
  let inbox: Inbox
  let ring: Ring
  let lifecycle: Guarded<Lifecycle>
  /// Whether the thread has been joined.
  ///
  /// Held while it is, and while late jobs run: either makes its holder the loop's only thread.
  let hasJoined = Guarded(false)
  let isStopRequested = Atomic<Bool>(false)
  let hasEnded = Atomic<Bool>(false)
  let jobCount = Atomic<UInt64>(0)
  /// The handler the loop is to take over at its next wake-up.
  let nextHandler = Guarded<HandlerBox?>(nil)
  let hasNextHandler = Atomic<Bool>(false)
  /// The loop thread's alone.
  var handler: (any EventLoopHandler)?
  /// Whether jobs were deferred for a deadline.
  var haveJobsWaited = false

  /// Error of locking the memory; nil: not requested, or locked.
  public let memoryLockWarning: EventLoopWarning?

  /// Makes the ring and all its memory; the thread comes with `start`.
  ///
  /// Any thread.
  public init(
    configuration: EventLoopConfiguration = EventLoopConfiguration()
  ) throws(EventLoopError) {
    self.configuration = configuration
    inbox = try Inbox(capacity: configuration.queuedJobs)
    ring = try Ring(inbox: inbox, bestMode: configuration.bestMode)
    lifecycle = Guarded(Lifecycle(features: ring.features))
    let lockResult = configuration.locksMemory ? uring_lock_memory() : 0
    memoryLockWarning = lockResult == 0 ? nil : .memoryLock(errno: -lockResult)
  }

  deinit {
    if let thread = lifecycle.withLock({ $0.thread }) { uring_thread_join(thread) }
  }

  /// Lets go of code that only the start needed; what runs again comes back, locked if memory is.
  ///
  /// Any thread; some milliseconds.
  public func forgetStart() {
    uring_forget_start(configuration.locksMemory && memoryLockWarning == nil)
  }

  /// The eventfd the audio thread writes 1 to, once a period.
  ///
  /// Open as long as the loop object lives.
  public var wakeDescriptor: Int32 { inbox.wakeDescriptor }

  /// Whether the calling thread is the loop's.
  ///
  /// Any thread.
  public var isCurrent: Bool { inbox.isCurrent }

  /// CLOCK_MONOTONIC in nanoseconds.
  ///
  /// Any thread.
  public static func nowNanoseconds() -> Int64 { uring_now() }

  /// How long the calling thread has run in all, without the time that it waited for a processor; a system call.
  ///
  /// Any thread.
  public static func threadCPUNanoseconds() -> Int64 { uring_thread_cpu() }

  /// Names the handler, from the next wake-up on (which this causes); nil: none.
  ///
  /// Any thread, before or after `start`.
  public func setHandler(_ handler: (any EventLoopHandler)?) {
    nextHandler.withLock { $0 = HandlerBox(handler: handler) }
    hasNextHandler.store(true, ordering: .releasing)
    inbox.signal()
  }

  /// Causes a wake-up.
  ///
  /// Any thread.
  public func wake() { inbox.signal() }

  /// What the kernel gives.
  ///
  /// Any thread.
  public var features: EventLoopFeatures { lifecycle.withLock { $0.features } }

  /// Why the thread runs without real-time scheduling though it was asked for; known after `start`.
  ///
  /// Any thread.
  public var schedulingWarning: EventLoopWarning? { lifecycle.withLock { $0.schedulingWarning } }

  /// The thread's SCHED_FIFO priority now; nil: ordinary scheduling.
  ///
  /// Any thread.
  public var realtimePriority: Int? {
    lifecycle.withLock { state in
      guard state.thread != nil, state.schedulingWarning == nil else { return nil }
      return state.realtimePriority ?? configuration.realtimePriority
    }
  }

  /// Keeps the loop below a thread that must never wait for it: the audio thread.
  ///
  /// Any thread.
  ///
  /// The priority asked for in the configuration is its upper bound; without one, or where it was
  /// refused, nothing changes.
  public func keepBelow(realtimePriority priority: Int) {
    lifecycle.withLock { state in
      guard let thread = state.thread, let wanted = configuration.realtimePriority,
        state.schedulingWarning == nil
      else { return }
      let lowered = max(1, min(wanted, priority - 1))
      if uring_thread_set_priority(thread, Int32(clamping: lowered)) == 0 {
        state.realtimePriority = lowered
      }
    }
  }

  /// The counters so far, also after the end.
  ///
  /// Any thread.
  public var statistics: EventLoopStatistics {
    let counters = lifecycle.withLock { $0.phase == .ended ? $0.finalCounters : ring.counters }
    return EventLoopStatistics(counters, jobs: jobCount.load(ordering: .relaxed))
  }
}

/// Carries a handler to the loop thread.
struct HandlerBox: @unchecked Sendable {
  let handler: (any EventLoopHandler)?
}

extension EventLoop: TaskExecutor {}

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

/// What the loop does at each wake-up, called synchronously on the loop thread.
///
/// Per wake-up and in this order: every datagram that came since the last one (and every failed
/// send), then `woke`, then the executor's jobs, and after them `woke` again. Where only a signal caused the wake-up,
/// the first `woke` is left out. An implementation must not allocate, block or wait; it may make and send packets.
public protocol EventLoopHandler: AnyObject {
  /// A datagram of 0 … 1500 bytes came. `bytes` is valid during the call only; `arrivalNanoseconds`
  /// is the kernel's receive stamp, converted to CLOCK_MONOTONIC.
  func datagramReceived(_ bytes: RawSpan, from source: SocketAddress, arrivalNanoseconds: Int64)

  /// The wake-up's work, also called once when the loop starts. What is due does not wait for jobs, which may be long;
  /// what they changed is seen by the call after them.
  ///
  /// `wokenNanoseconds`: when the loop ran again, before the datagrams. Returns the next deadline, CLOCK_MONOTONIC
  /// nanoseconds: the loop wakes then at the latest. `Int64.max`: none. A job that the last of these calls itself
  /// makes, by resuming a task, runs right after it; where such a job changes the deadline it calls `EventLoop.wake`.
  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64

  /// A packet could not be sent to this address; the counters have it already.
  func sendFailed(to destination: SocketAddress, errno: Int32)
}

extension EventLoopHandler {
  /// Ignores the failure.
  public func sendFailed(to destination: SocketAddress, errno: Int32) {}
}

/// Something the loop asked for and goes on without.
///
/// `errno` is positive.
public enum EventLoopWarning: Equatable, Sendable {
  /// SCHED_FIFO at this priority was refused.
  case scheduling(priority: Int, errno: Int32)
  /// Locking the memory was refused.
  case memoryLock(errno: Int32)
}
