import CUring
import Glibc

/// Owns the eventfd that wakes the loop and the queue of jobs others leave there; see CUring.h for
/// the memory model.
@safe final class Inbox: @unchecked Sendable {
  let handle: OpaquePointer

  init(capacity: Int) throws(EventLoopError) {
    var handle: OpaquePointer?
    let result = unsafe uring_inbox_create(&handle, UInt32(clamping: capacity))
    guard result == 0, let handle = unsafe handle else {
      throw .ring(.memory, errno: -result)
    }
    unsafe self.handle = handle
  }

  deinit { unsafe uring_inbox_destroy(handle) }

  var wakeDescriptor: Int32 { unsafe uring_inbox_wake_fd(handle) }

  /// Whether the calling thread is the loop's.
  ///
  /// Any thread.
  var isCurrent: Bool { unsafe uring_inbox_is_current(handle) }

  /// Whether jobs wait that the loop thread left for itself.
  ///
  /// Loop thread.
  var hasOwnJobs: Bool { unsafe uring_inbox_has_own(handle) }

  /// False: full.
  ///
  /// Any thread.
  func push(_ job: UnownedJob) -> Bool {
    unsafe uring_inbox_push(handle, UInt64(unsafeBitCast(job, to: UInt.self)))
  }

  /// Loop thread.
  func pop() -> UnownedJob? {
    var job: UInt64 = 0
    guard unsafe uring_inbox_pop(handle, &job) else { return nil }
    return unsafe unsafeBitCast(UInt(job), to: UnownedJob.self)
  }

  /// Any thread.
  func signal() { unsafe uring_inbox_signal(handle) }

  /// Whether others signalled since the last time.
  ///
  /// Loop thread, before the pops of a wake-up.
  @discardableResult
  func open() -> Bool { unsafe uring_inbox_open(handle) }

  /// Runs `body` as the loop thread.
  func withCurrentThread<Result>(_ body: () -> Result) -> Result {
    let previous = unsafe uring_inbox_enter(handle)
    defer { _ = unsafe uring_inbox_enter(previous) }
    return body()
  }
}

/// A value behind a lock that inherits priority, so that a thread of SCHED_FIFO never waits for an
/// ordinary one to get the processor first.
///
/// In place of `Synchronization.Mutex`, which does the same but out of ThreadSanitizer's sight.
@safe
final class Guarded<Value>: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe lock = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_setprotocol(&attributes, Int32(PTHREAD_PRIO_INHERIT))
    unsafe pthread_mutex_init(lock, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
  }

  /// Calls `body` with the value, as the only one.
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}
