internal import Glibc
internal import System

/// The thread of a ``Discovery``: a small stack, no real-time priority, all signals blocked.
struct DiscoveryThread: Sendable {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let stackBytes = 1 << 20
  private static let name = "discovery"

  private let thread: pthread_t

  /// Starts a thread that runs `body` once.
  init(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
    let work = unsafe Unmanaged.passRetained(Work(body))
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
    var thread = pthread_t()
    let code = unsafe pthread_create(&thread, &attributes, Self.entry, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw .system(operation: "start the thread \(Self.name)", code: code)
    }
    self.thread = thread
  }

  /// Whether it is the calling thread.
  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Waits until `body` has returned, then lets go of it; once, from another thread.
  func join() { _ = pthread_join(thread, nil) }

  /// Lets it go on alone; once, instead of ``join()``.
  func detach() { _ = pthread_detach(thread) }

  private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { pointer in
      if let pointer = unsafe pointer {
        let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        setName()
        work.body()
      }
      return nil
    }

  private static func setName() {
    // pthread_setname_np is not in Swift's Glibc module.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = unsafe write(file, name, name.utf8.count)
    _ = close(file)
  }
}

/// One ``DiscoveryLoop`` after the other, until it is enough: one that failed, for want of descriptors as a rule, is
/// followed by another a second later; the wait doubles each time up to a minute,
/// and a run of a minute makes it a second again.
struct DiscoveryRuns {
  private static let leastWaitNanoseconds: Int64 = 1_000_000_000
  private static let longestNanoseconds: Int64 = 60_000_000_000

  let mailbox: DiscoveryMailbox
  let tell: @Sendable (DiscoveryEvent) -> Void

  func run(_ service: ServiceDescription) {
    var service = service
    var waitNanoseconds = Self.leastWaitNanoseconds
    while true {
      let begun = monotonicNanoseconds()
      do throws(DiscoveryError) {
        var loop = DiscoveryLoop(try Avahi(), service, mailbox, tell)
        defer { service = loop.service }
        try loop.run()
        return
      } catch {
        if monotonicNanoseconds() - begun >= Self.longestNanoseconds {
          waitNanoseconds = Self.leastWaitNanoseconds
        }
        let seconds = waitNanoseconds / 1_000_000_000
        tell(.problem("\(error); discovery restarts in \(seconds) s"))
      }
      guard mailbox.staysOpen(forNanoseconds: waitNanoseconds) else { return }
      waitNanoseconds = min(2 * waitNanoseconds, Self.longestNanoseconds)
    }
  }
}
