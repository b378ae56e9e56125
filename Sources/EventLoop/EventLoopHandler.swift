/// What the loop does at each wake-up, called synchronously on the loop thread.
///
/// Per wake-up and in this order: every datagram that came since the last one (and every failed
/// send), then `woke`, then the executor's jobs, and after them `woke` again. Where only a signal caused the wake-up, the
/// first `woke` is left out. An implementation must not allocate, block or wait; it may make and send packets.
public protocol EventLoopHandler: AnyObject {
  /// A datagram of 0 … 1500 bytes came. `bytes` is valid during the call only; `arrivalNanoseconds`
  /// is the kernel's receive stamp, converted to CLOCK_MONOTONIC.
  func datagramReceived(_ bytes: RawSpan, from source: SocketAddress, arrivalNanoseconds: Int64)

  /// The wake-up's work, also called once when the loop starts. What is due does not wait for jobs, which may be long;
  /// what they changed is seen by the call after them.
  ///
  /// `wokenNanoseconds`: when the loop ran again, before the datagrams. Returns the next deadline, CLOCK_MONOTONIC
  /// nanoseconds: the loop wakes then at the latest. `Int64.max`: none. A job that the last of these calls itself makes, by
  /// resuming a task, runs right after it; where such a job changes the deadline it calls `EventLoop.wake`.
  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64

  /// A packet could not be sent to this address; the counters have it already.
  func sendFailed(to destination: SocketAddress, errno: Int32)
}

extension EventLoopHandler {
  /// Ignores the failure.
  public func sendFailed(to destination: SocketAddress, errno: Int32) {}
}
