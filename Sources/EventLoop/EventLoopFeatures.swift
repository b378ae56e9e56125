import CUring
import Glibc

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
