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
