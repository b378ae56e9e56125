internal import Glibc
internal import Synchronization

/// A thread of its own for calls that block, such as JACK's and a disk's.
///
/// It runs at ordinary priority whoever starts it (a real-time caller would hand its policy down), takes no signals
/// (they are the main thread's, and threads that libjack starts inherit the mask), and has a small stack, because
/// `mlockall` makes whole stacks resident.
package final class BlockingThread: Sendable {
  private static let stackBytes = 512 << 10

  private let wakeBell: Bell
  private let doneBell: Bell
  private let isStopRequested = Atomic<Bool>(false)
  private let thread = Mutex<pthread_t?>(nil)
  private let name: String
  private let body: @Sendable (BlockingThread) -> Void

  /// Prepares the thread; `start()` runs it.
  ///
  /// - Parameters:
  ///   - name: for `top` and debuggers, at most 15 bytes.
  ///   - body: returns soon after `isStopping` became true.
  /// - Throws: `SystemError`.
  package init(
    name: String, body: @escaping @Sendable (BlockingThread) -> Void
  ) throws(SystemError) {
    self.name = name
    self.body = body
    wakeBell = try Bell()
    doneBell = try Bell()
  }

  /// True once `stop` was called.
  package var isStopping: Bool { isStopRequested.load(ordering: .acquiring) }

  /// Starts the thread; only the first call does.
  package func start() throws(SystemError) {
    let code = thread.withLock { thread in
      thread == nil && !isStopping ? create(&thread) : 0
    }
    guard code == 0 else {
      throw SystemError(attempt: "start thread \(name)", errorNumber: code)
    }
  }

  /// Ends the thread's present or next `sleep`; any thread.
  package func wake() {
    wakeBell.ring()
  }

  /// Waits for `wake`, for the descriptor to become readable or closed, or for the time to pass; on the thread itself.
  ///
  /// - Returns: whether the descriptor can be read.
  @discardableResult
  package func sleep(milliseconds: Int, orReadable descriptor: Int32 = -1) -> Bool {
    var descriptors: [2 of pollfd] = [
      pollfd(fd: wakeBell.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    var span = descriptors.mutableSpan
    let ready = unsafe span.withUnsafeMutableBufferPointer { descriptors in
      unsafe poll(descriptors.baseAddress, 2, Int32(clamping: milliseconds))
    }
    guard ready > 0 else { return false }
    wakeBell.silence()
    return descriptors[1].revents != 0
  }

  /// Waits for a time that is short, whoever calls `wake`; on the thread itself.
  package func pause(nanoseconds: Int64) {
    guard nanoseconds > 0 else { return }
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    _ = unsafe nanosleep(&time, nil)
  }

  /// Asks the body to return and waits for it.
  ///
  /// - Returns: false when it was still inside a call at the end of that time: the thread is left to itself, keeps
  ///   what it holds alive, and ends when the call returns.
  package func stop(withinMilliseconds limit: Int) -> Bool {
    isStopRequested.store(true, ordering: .releasing)
    wake()
    return thread.withLock { thread in
      guard let running = thread else { return true }
      thread = nil
      guard isDone(withinMilliseconds: limit) else {
        pthread_detach(running)
        return false
      }
      pthread_join(running, nil)
      return true
    }
  }

  private func isDone(withinMilliseconds limit: Int) -> Bool {
    let deadline = monotonicNanoseconds() + Int64(limit) * 1_000_000
    while true {
      let left = max((deadline - monotonicNanoseconds()) / 1_000_000, 0)
      var done = pollfd(fd: doneBell.descriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&done, 1, Int32(clamping: left))
      if ready >= 0 || errno != EINTR { return ready == 1 }
    }
  }

  private func create(_ thread: inout pthread_t?) -> Int32 {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, Self.stackBytes)
    unsafe pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    unsafe pthread_attr_setschedpolicy(&attributes, SCHED_OTHER)
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var created = pthread_t()
    let context = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(&created, &attributes, runBlockingThread, context.toOpaque())
    if code == 0 {
      thread = created
    } else {
      unsafe context.release()
    }
    return code
  }

  fileprivate func run() {
    setName()
    body(self)
    doneBell.ring()
  }

  private func setName() {
    let comm = unsafe Glibc.open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard comm >= 0 else { return }
    let bytes = Array(name.utf8.prefix(15))
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(comm, $0.baseAddress, $0.count) }
    _ = Glibc.close(comm)
  }
}

/// The thread's entry: a function, because a closure literal could be inferred to belong to an actor and trap.
private func runBlockingThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context = unsafe context {
    unsafe Unmanaged<BlockingThread>.fromOpaque(context).takeRetainedValue().run()
  }
  return nil
}

/// Wakes a `poll` on one thread from another: rung any number of times, heard once.
///
/// A socket pair, because glibc's module does not show `eventfd` to Swift.
package struct Bell: ~Copyable, Sendable {
  /// Readable while the bell has been rung and not yet silenced.
  package let descriptor: Int32
  private let ringDescriptor: Int32

  /// Makes a silent bell.
  ///
  /// - Throws: `SystemError`.
  package init() throws(SystemError) {
    var pair: [2 of Int32] = [-1, -1]
    var span = pair.mutableSpan
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let code = unsafe span.withUnsafeMutableBufferPointer { pair in
      unsafe socketpair(AF_UNIX, flags, 0, pair.baseAddress)
    }
    guard code == 0 else {
      throw SystemError(attempt: "make a socket pair", errorNumber: errno)
    }
    descriptor = pair[0]
    ringDescriptor = pair[1]
  }

  deinit {
    _ = Glibc.close(descriptor)
    _ = Glibc.close(ringDescriptor)
  }

  /// Makes the descriptor readable; any thread.
  package func ring() {
    var byte: UInt8 = 1
    // A full socket has been rung often enough.
    _ = unsafe Glibc.send(ringDescriptor, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes all rings so far.
  package func silence() {
    var bytes: [64 of UInt8] = .init(repeating: 0)
    var span = bytes.mutableSpan
    unsafe span.withUnsafeMutableBytes { bytes in
      while unsafe Glibc.recv(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count {}
    }
  }
}

/// CLOCK_MONOTONIC now.
package func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
