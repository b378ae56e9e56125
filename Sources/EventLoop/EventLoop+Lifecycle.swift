import CUring
import Synchronization

extension EventLoop {
  /// Starts the thread; returns when it has the ring.
  ///
  /// Any thread, once.
  public func start() throws(EventLoopError) {
    let isFirst = lifecycle.withLock { state in
      defer { if state.phase == .made { state.phase = .running } }
      return state.phase == .made
    }
    guard isFirst else { throw .alreadyStarted }
    // A concurrent stop() must find the thread.
    let result = hasJoined.withLock { _ in startThread() }
    guard result == 0 else {
      stop()
      let enableErrno = lifecycle.withLock { $0.enableErrno }
      throw enableErrno == 0 ? .thread(errno: -result) : .ring(.enable, errno: enableErrno)
    }
  }

  private func startThread() -> Int32 {
    let context = unsafe Unmanaged.passRetained(self)
    var thread: UInt64 = 0
    let result = unsafe "comlink-loop".withCString { name in
      var settings = unsafe uring_thread_settings(
        name: name, stack_bytes: UInt64(configuration.stackBytes),
        fifo_priority: Int32(clamping: configuration.realtimePriority ?? 0))
      return unsafe uring_thread_start(
        &thread, &settings, beginLoopThread, runLoopThread, context.toOpaque())
    }
    if result == 0 {
      lifecycle.withLock { $0.thread = thread }
    } else {
      unsafe context.release()
    }
    return result
  }

  /// Ends the thread after its present wake-up and closes the ring and the socket.
  ///
  /// Returns when that is done; on the loop thread itself it only asks for it, and a later call
  /// from elsewhere or the object's end does the rest. Any thread, any number of times. Jobs still
  /// waiting run before it returns.
  public func stop() {
    isStopRequested.store(true, ordering: .releasing)
    inbox.signal()
    guard !isCurrent else { return }
    hasJoined.withLock { hasJoined in
      guard !hasJoined else { return }
      hasJoined = true
      if let thread = lifecycle.withLock({ $0.thread.take() }) { uring_thread_join(thread) }
      lifecycle.withLock { state in
        state.phase = .ended
        state.finalCounters = ring.counters
        ring.close()
      }
    }
    hasEnded.store(true, ordering: .sequentiallyConsistent)
    runLateJobs()
  }

  /// Takes the ring over on the new thread: 0 or -errno.
  fileprivate func begin(schedulingErrno: Int32) -> Int32 {
    let result = unsafe uring_attach(ring.handle)
    lifecycle.withLock { state in
      state.enableErrno = -result
      state.features = ring.features
      if schedulingErrno != 0 {
        state.schedulingWarning = .scheduling(
          priority: configuration.realtimePriority ?? 0, errno: schedulingErrno)
      }
    }
    return result
  }
}

/// C calls this on the loop thread.
///
/// A free function, as is the next one: a closure could inherit its maker's isolation and trap
/// there.
private func beginLoopThread(_ context: UnsafeMutableRawPointer?, schedulingErrno: Int32) -> Int32 {
  guard let context = unsafe context else { return -1 }
  return unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    .begin(schedulingErrno: schedulingErrno)
}

private func runLoopThread(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue()
  loop.inbox.withCurrentThread { loop.run() }
}
