internal import Glibc

/// Signals that wait until they are asked for, so that none ends the process while the terminal is not its own.
struct HeldSignals: ~Copyable {
  private var held = sigset_t()
  private var before = sigset_t()

  /// Holds them from now on.
  init(_ signals: [Int32]) {
    unsafe sigemptyset(&held)
    for signal in signals { unsafe sigaddset(&held, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &held, &before)
  }

  deinit {
    var before = before
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// The next one that came; nil: none did.
  mutating func next() -> Int32? {
    var now = timespec()
    let signal = unsafe sigtimedwait(&held, nil, &now)
    return signal > 0 ? signal : nil
  }
}
