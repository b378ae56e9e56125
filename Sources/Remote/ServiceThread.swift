internal import Glibc

/// A thread of our own beside Swift's pool, for work that waits in system calls.
struct ServiceThread: Sendable {
  /// What the thread does; let go of by the thread when it is done.
  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// JSON is decoded on these threads, nested up to 512 deep; the default stack of 8 MiB would all be
  /// made resident by a daemon that locks its memory.
  private static let stackBytes = 1 << 20

  private let thread: pthread_t

  /// Starts a thread that runs `body` once.
  ///
  /// The name is seen in `top -H` (at most 15 bytes).
  init(name: String, body: @escaping @Sendable () -> Void) throws(RemoteError) {
    let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, Self.stackBytes)
    let code = unsafe pthread_create(&thread, &attributes, Self.entry, work.toOpaque())
    unsafe pthread_attr_destroy(&attributes)
    guard code == 0 else {
      unsafe work.release()
      throw .system(operation: "start the thread", path: name, code: code)
    }
    self.thread = thread
  }

  /// Waits until `body` has returned and is let go of.
  ///
  /// Call it once, from another thread.
  func join() { _ = pthread_join(thread, nil) }

  private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { pointer in
      if let pointer = unsafe pointer {
        let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        setName(work.name)
        work.body()
      }
      return nil
    }

  private static func setName(_ name: String) {
    // pthread_setname_np is not in Swift's Glibc module.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = unsafe write(file, name, name.utf8.count)
    _ = close(file)
  }
}
