import CUring
import Synchronization

/// One thread that waits in `io_uring_enter`, takes datagrams in batches and is an executor of
/// Swift jobs.
///
/// It wakes when the audio thread writes 1 to `wakeDescriptor` (at most once per JACK period), when another
/// thread leaves a job, or at the deadline its handler named. Datagrams that come meanwhile wait in
/// the socket and are all taken at the next wake-up, or cause one where the handler asked for that; sends go out with the next wait. In steady
/// state a wake-up is one system call and no allocation.
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
  /// Whether jobs that may have come gave way to a deadline.
  var haveJobsWaited = false

  /// What locking the memory came to; nil: it was not asked for, or it is locked.
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
