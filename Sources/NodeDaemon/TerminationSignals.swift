internal import Glibc
internal import Logging

/// SIGTERM, SIGINT and SIGHUP (the terminal is gone) as something to await.
///
/// They are blocked before any other thread starts (threads inherit that), and the main thread waits
/// for them in `sigwait`: no handler, so nothing that a handler must not do. The first ends the daemon
/// in order; a second one that comes later than an echo of the first, or five seconds without an end,
/// ends it at once.
final class TerminationSignals: Sendable {
  /// How long the orderly end may take; it takes less than a second.
  private static let patience = Duration.seconds(5)
  /// How long further signals count as the first one: timeout(1) sends it to the process and to its
  /// group, a shell passes on what the terminal sent as well.
  private static let echo = Duration.milliseconds(500)

  private let signals: AsyncStream<Int32>
  private let continuation: AsyncStream<Int32>.Continuation

  /// Blocks the signals in this thread and all that it starts, and ignores SIGPIPE: a client or a log
  /// reader that goes away is an error code of a write.
  init() {
    (signals, continuation) = AsyncStream.makeStream()
    signal(SIGPIPE, SIG_IGN)
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the first signal.
  func first() async -> Int32 {
    for await signal in signals { return signal }
    return SIGTERM
  }

  /// Waits for signals in this thread, which must be the main one; ends the process at the second.
  func deliver(log: Logger) -> Never {
    var set = Self.set
    var signal: Int32 = 0
    while unsafe sigwait(&set, &signal) != 0 {}
    continuation.yield(signal)
    let isSecond = Self.waitForAnother(&set)
    log.event(
      .endedAtOnce,
      isSecond ? "exits at once: second signal" : "exits at once: shutdown took too long")
    _exit(128 + signal)
  }

  /// False when none came in time.
  ///
  /// The kernel interrupts the thread that made a ring when that ring
  /// goes away, as it does at the end, so an interruption says nothing.
  private static func waitForAnother(_ set: inout sigset_t) -> Bool {
    let first = ContinuousClock.now
    while true {
      let (seconds, attoseconds) = max(.zero, first + patience - .now).components
      var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      if unsafe sigtimedwait(&set, nil, &left) > 0 {
        if .now - first >= echo { return true }
      } else if errno != EINTR {
        return false
      }
    }
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGTERM)
    unsafe sigaddset(&set, SIGINT)
    if !isHangupIgnored { unsafe sigaddset(&set, SIGHUP) }
    return set
  }

  /// Whether we were started to outlive the terminal, as by nohup(1).
  ///
  /// A signal that is blocked waits for us even if it is ignored (signal(7)), so it must not be blocked then.
  private static var isHangupIgnored: Bool {
    var action = sigaction()
    unsafe sigaction(SIGHUP, nil, &action)
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The name of a signal that ends the daemon.
  static func name(of signal: Int32) -> String {
    switch signal {
    case SIGINT: "SIGINT"
    case SIGHUP: "SIGHUP"
    default: "SIGTERM"
    }
  }
}
