internal import Glibc

/// Signals that wait until they are asked for, so that none ends the process while the terminal is not its own.
struct HeldSignals: ~Copyable {
  private var held = sigset_t()

  /// Holds them from now on.
  init(_ signals: [Int32]) {
    unsafe sigemptyset(&held)
    for signal in signals { unsafe sigaddset(&held, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Lets them through, also where whoever started us held them: they would come back for ever.
  deinit {
    var held = held
    unsafe pthread_sigmask(SIG_UNBLOCK, &held, nil)
  }

  /// The next one that came; nil: none did.
  mutating func next() -> Int32? {
    var now = timespec()
    let signal = unsafe sigtimedwait(&held, nil, &now)
    return signal > 0 ? signal : nil
  }
}
