import Glibc
internal import System

/// Why an event loop or its endpoint could not be made.
///
/// `errno` is positive.
public enum EventLoopError: Error, Equatable, Sendable {
  /// What the kernel was asked for when it refused the ring.
  public enum RingStep: Sendable {
    /// Memory or descriptors for the loop.
    case memory
    /// `io_uring_setup`.
    case setup
    /// Multishot `recvmsg`, Linux 6.0.
    case multishotReceive
    /// A provided buffer ring, Linux 5.19.
    case bufferRing
    /// The loop thread taking the ring over.
    case enable
  }

  /// What was asked for when the socket failed.
  public enum EndpointStep: Sendable {
    /// `socket`.
    case open
    /// `setsockopt`.
    case options
    /// `bind`.
    case bind
  }

  /// The kernel refused the ring.
  case ring(RingStep, errno: Int32)
  /// The loop thread could not be started.
  case thread(errno: Int32)
  /// `start` was called twice, or after `stop`.
  case alreadyStarted
  /// The loop has an endpoint, or runs already: an endpoint is bound before `start`.
  case endpointTooLate
  /// The UDP socket could not be opened and bound.
  case endpoint(EndpointStep, SocketAddress, errno: Int32)
}

extension EventLoopError {
  /// Whether a socket of IPv6 was asked for on a kernel that has none, or that has no address of it.
  public var meansNoIPv6: Bool {
    switch self {
    case .endpoint(.open, let address, EAFNOSUPPORT): address.family == .ipv6
    case .endpoint(.bind, let address, EADDRNOTAVAIL): address.family == .ipv6
    default: false
    }
  }

  /// Whether it stays until somebody changes the machine or the configuration: starting again would not help.
  public var isLasting: Bool {
    switch self {
    // A machine that is short of memory or descriptors may have them again.
    case .ring(_, let code): ![ENOMEM, EMFILE, ENFILE, EAGAIN, EBUSY].contains(code)
    case .endpoint(.open, _, let code): code == EAFNOSUPPORT
    case .endpoint(.bind, _, let code): code == EACCES || code == EPERM
    case .endpoint, .thread, .alreadyStarted, .endpointTooLate: false
    }
  }
}

extension EventLoopError: CustomStringConvertible {
  /// What was tried, why it failed and what to do, in words for a start-up message.
  public var description: String {
    switch self {
    case .ring(let step, let code): Self.describe(step, code)
    case .thread(let code): "cannot start the loop thread: \(errorWords(code))"
    case .alreadyStarted: "the event loop is already started"
    case .endpointTooLate: "an event loop takes one UDP endpoint, before it starts"
    case .endpoint(let step, let address, let code): Self.describe(step, address, code)
    }
  }

  private static func describe(_ step: RingStep, _ code: Int32) -> String {
    let kernel = "the kernel (\(EventLoopFeatures.runningKernelRelease))"
    switch (step, code) {
    case (.multishotReceive, _):
      return "\(kernel) lacks io_uring's multishot recvmsg: Linux 6.0 or newer is needed"
    case (.bufferRing, EINVAL), (.bufferRing, ENOSYS):
      return "\(kernel) lacks io_uring's provided buffer rings: Linux 5.19 or newer is needed "
        + "for them, 6.0 for everything"
    case (.setup, EINVAL):
      return "\(kernel) is too old: io_uring as comlinkd uses it needs Linux 6.0 or newer"
    case (_, EPERM), (_, EACCES):
      return "io_uring is switched off for this process: see `sysctl kernel.io_uring_disabled` "
        + "(0 allows it to all) and, in a container or a systemd service with a "
        + "SystemCallFilter, the seccomp profile"
    case (_, ENOSYS):
      return "\(kernel) has no io_uring: Linux 6.0 or newer, built with CONFIG_IO_URING, "
        + "is needed; in a container its seccomp profile may hide it"
    case (_, ENOMEM):
      return "no memory for io_uring, or more of it than RLIMIT_MEMLOCK allows"
    default:
      return "cannot set up io_uring (\(step)): \(errorWords(code))"
    }
  }

  private static func describe(
    _ step: EndpointStep, _ address: SocketAddress, _ code: Int32
  ) -> String {
    switch (step, code) {
    case (_, EADDRINUSE):
      "UDP port \(address.port) on \(address.hostDescription) is in use by another program "
        + "(`ss -lunp` shows which): end it or choose another port"
    case (_, EADDRNOTAVAIL):
      "\(address.hostDescription) is not an address of this machine: listen on one that it has (`ip address` "
        + "shows them), or on all of them ([::]:\(address.port))"
    case (_, EACCES):
      "UDP port \(address.port) needs privileges: choose one above 1023"
    case (.open, EAFNOSUPPORT):
      address.family == .ipv6
        ? "this machine has no IPv6: cannot listen on \(address); listen on IPv4 (0.0.0.0:\(address.port) is all "
          + "addresses, `ip address` shows them), or start the kernel without ipv6.disable=1"
        : "this machine has no IPv4: cannot listen on \(address)"
    default:
      "cannot listen on UDP \(address) (\(step)): \(errorWords(code))"
    }
  }
}
