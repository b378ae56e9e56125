import CUring
import Synchronization
import System

extension EventLoop {
  /// Bounds a wake-up, so that jobs that make jobs cannot keep datagrams and sound waiting.
  private static let jobsPerTurn = 256
  /// So soon before a deadline jobs wait for it: some take longer than sound may wait.
  private static let reserveNanoseconds: Int64 = 1_000_000

  /// The loop thread's life.
  func run() {
    takeNextHandler()
    var deadline = runWakeUp(causes: 0)
    while !isStopRequested.load(ordering: .acquiring) {
      requireSuccess(unsafe uring_wait(ring.handle, deadline))
      takeNextHandler()
      deliverEvents()
      // A wait that only failed sends ended is no wake-up: the deadline stands.
      let causes = unsafe uring_causes(ring.handle)
      if causes == UInt32(URING_WOKE_SIGNAL), letsJobsWait(for: deadline) { continue }
      if causes != 0 { deadline = runWakeUp(causes: causes) }
    }
    runJobs()
    unsafe uring_detach(ring.handle)
    handler = nil
  }

  /// Whether what a deadline wants is to come before the jobs: once, or they might wait for ever.
  private func letsJobsWait(for deadline: Int64) -> Bool {
    let left = deadline == .max ? .max : deadline - Self.nowNanoseconds()
    haveJobsWaited = !haveJobsWaited && left > 0 && left < Self.reserveNanoseconds
    return haveJobsWaited
  }

  private func takeNextHandler() {
    guard hasNextHandler.exchange(false, ordering: .acquiring) else { return }
    if let box = nextHandler.withLock({ $0.take() }) { handler = box.handler }
  }

  private func deliverEvents() {
    var event = unsafe uring_event()
    while true {
      let count = unsafe uring_next_event(ring.handle, &event)
      requireSuccess(count)
      guard count > 0 else { return }
      let address = unsafe SocketAddress(event.address)
      if unsafe event.kind == URING_EVENT_DATAGRAM {
        let bytes = unsafe UnsafeRawBufferPointer(
          start: event.bytes, count: Int(event.byte_count))
        unsafe handler?.datagramReceived(
          bytes.bytes, from: address, arrivalNanoseconds: event.arrival_nanoseconds)
      } else {
        unsafe handler?.sendFailed(to: address, errno: event.error)
      }
    }
  }

  /// What a beat, a deadline or a datagram wants does not wait for jobs.
  private func runWakeUp(causes: UInt32) -> Int64 {
    let isTimed = causes & ~UInt32(URING_WOKE_SIGNAL) != 0
    let hasJobs = inbox.hasOwnJobs
    var deadline = isTimed ? callHandler() : .max
    let isAsked = hasJobs || causes & UInt32(URING_WOKE_SIGNAL) != 0
    if isAsked, letsJobsWait(for: deadline) { return deadline }
    haveJobsWaited = false
    let isSignalled = inbox.open()
    runJobs()
    if !isTimed || hasJobs || isSignalled {
      deadline = callHandler()
      // The handler may have resumed a continuation, whose job is then the loop's own and came without
      // a signal. `woke` is not called again: where it resumes a task each time, that would never end.
      if inbox.hasOwnJobs { runJobs() }
    }
    if inbox.hasOwnJobs { inbox.signal() }
    return deadline
  }

  private func callHandler() -> Int64 {
    let woken = unsafe uring_woken_nanoseconds(ring.handle)
    return handler?.woke(at: woken, nowNanoseconds: Self.nowNanoseconds()) ?? .max
  }

  /// False: more may wait.
  @discardableResult
  private func runJobs() -> Bool {
    inbox.open()
    let serial = unsafe asUnownedSerialExecutor()
    let task = unsafe asUnownedTaskExecutor()
    var count = 0
    while count < Self.jobsPerTurn, let job = inbox.pop() {
      unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
      count += 1
    }
    // One writer at a time, so a load and a store will do.
    let total = jobCount.load(ordering: .relaxed) &+ UInt64(count)
    jobCount.store(total, ordering: .relaxed)
    if count == Self.jobsPerTurn { inbox.signal() }
    return count < Self.jobsPerTurn
  }

  /// Runs what is left after the end, as the loop's only thread.
  ///
  /// Any thread but the loop's.
  func runLateJobs() {
    let isDone = hasJoined.withLock { _ in
      inbox.withCurrentThread { runJobs() && !inbox.hasOwnJobs }
    }
    if !isDone { Task.detached { self.runLateJobs() } }
  }

  /// Ends the process where the loop cannot go on: an error that passes has been dealt with before.
  private func requireSuccess(_ result: Int32) {
    guard result < 0 else { return }
    // Not precondition: an optimised build would end without a word.
    fatalError(
      "the media loop stopped: the kernel refused io_uring_enter: \(errorWords(-result)). "
        + "Restart comlinkd. If it happens again, check `journalctl -k`, and whether "
        + "a seccomp filter (of a container, or a service's SystemCallFilter) forbids io_uring_enter"
    )
  }
}
