import CUring

/// Owns the io_uring instance and its socket until `close`.
///
/// Created and closed on any thread, in between the loop thread's alone (but for the counters,
/// which are atomic).
@safe final class Ring: @unchecked Sendable {
  private(set) var handle: OpaquePointer?

  init(
    inbox: Inbox, bestMode: EventLoopFeatures.CompletionMode
  ) throws(EventLoopError) {
    var step = uring_step(0)
    let result = unsafe uring_create(&handle, inbox.handle, bestMode.uringMode, &step)
    guard result == 0 else { throw .ring(.init(step), errno: -result) }
  }

  deinit { close() }

  func close() {
    unsafe uring_destroy(handle)
    unsafe handle = nil
  }

  var features: EventLoopFeatures {
    EventLoopFeatures(
      kernelRelease: EventLoopFeatures.runningKernelRelease,
      completionMode: .init(unsafe uring_mode_in_use(handle)),
      hasRegisteredRing: unsafe uring_has_registered_ring(handle))
  }

  var counters: uring_counters {
    var counters = uring_counters()
    unsafe uring_read_counters(handle, &counters)
    return counters
  }
}

extension EventLoopError.RingStep {
  init(_ step: uring_step) {
    switch step {
    case URING_STEP_SETUP: self = .setup
    case URING_STEP_MULTISHOT: self = .multishotReceive
    case URING_STEP_BUFFER_RING: self = .bufferRing
    case URING_STEP_ENABLE: self = .enable
    default: self = .memory
    }
  }
}
