import CUring
import Glibc

/// How an event loop's thread is to run.
public struct EventLoopConfiguration: Sendable {
  /// SCHED_FIFO priority of the loop thread, 1 … 99, below JACK's; nil: ordinary scheduling.
  public var realtimePriority: Int?
  /// Whether to lock the whole process's memory (`mlockall`), page by page as it is touched.
  public var locksMemory: Bool
  /// The loop thread's stack.
  public var stackBytes: Int
  /// Jobs that other threads can leave before they must wait for the loop; a power of two.
  public var queuedJobs: Int
  /// The best way of completion to try; less than the best only in tests.
  var bestMode = EventLoopFeatures.CompletionMode.deferred

  /// Ordinary scheduling, unlocked memory, a stack of 1 MiB and 4096 jobs unless told otherwise.
  public init(
    realtimePriority: Int? = nil, locksMemory: Bool = false, stackBytes: Int = 1 << 20,
    queuedJobs: Int = 4096
  ) {
    self.realtimePriority = realtimePriority
    self.locksMemory = locksMemory
    self.stackBytes = stackBytes
    self.queuedJobs = queuedJobs
  }
}

/// What the kernel gives the event loop.
public struct EventLoopFeatures: Equatable, Sendable {
  /// How completions reach the loop thread.
  public enum CompletionMode: Sendable {
    /// When the loop asks for them: SINGLE_ISSUER and DEFER_TASKRUN, Linux 6.1.
    case deferred
    /// Without interrupting the loop: SINGLE_ISSUER and COOP_TASKRUN, Linux 6.0.
    case cooperative
    /// By interrupting it.
    case plain
  }

  /// The running kernel's release, as `uname -r` gives it.
  public let kernelRelease: String
  /// How completions reach the loop thread.
  public let completionMode: CompletionMode
  /// Whether system calls go by a registered ring descriptor; false until the loop has started.
  public let hasRegisteredRing: Bool

  static var runningKernelRelease: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "unknown" }
    return unsafe withUnsafeBytes(of: names.release) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension EventLoopFeatures.CompletionMode {
  init(_ mode: uring_mode) {
    switch mode {
    case URING_MODE_DEFERRED: self = .deferred
    case URING_MODE_COOPERATIVE: self = .cooperative
    default: self = .plain
    }
  }

  var uringMode: uring_mode {
    switch self {
    case .deferred: URING_MODE_DEFERRED
    case .cooperative: URING_MODE_COOPERATIVE
    case .plain: URING_MODE_PLAIN
    }
  }
}

extension EventLoopFeatures: CustomStringConvertible {
  /// One line for a start-up message.
  public var description: String {
    let mode =
      switch completionMode {
      case .deferred: "SINGLE_ISSUER, DEFER_TASKRUN"
      case .cooperative: "SINGLE_ISSUER, COOP_TASKRUN (DEFER_TASKRUN needs Linux 6.1)"
      case .plain: "no SINGLE_ISSUER (it needs Linux 6.0)"
      }
    return "io_uring on Linux \(kernelRelease): multishot recvmsg, provided buffers, \(mode)"
      + (hasRegisteredRing ? ", registered ring" : "")
  }
}
