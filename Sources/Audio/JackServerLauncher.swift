/// Starts a JACK server and keeps it running: `--start-jack`.
///
/// A thread of its own starts jackd for the sound card it finds, or with the dummy driver, waits for its end and starts
/// it again after a growing delay (0.5 s, doubled to 10 s; anew after 30 s of running). The server ends with us,
/// however we end: see `ChildProcess`.
///
/// All methods may be called from any thread.
public final class JackServerLauncher: Sendable {
  /// Half a second for SIGTERM (jackd takes about 30 ms), then SIGKILL and what the kernel needs.
  static let stopLimitMilliseconds = 650

  private let thread: BlockingThread

  /// Prepares a launcher; `start()` begins it.
  ///
  /// - Parameters:
  ///   - serverName: the server's name; nil for the one JACK programs use by default.
  ///   - onEvent: called on the launcher's thread, one event at a time, in order. It must not call `stop()`.
  /// - Throws: `AudioError.system`.
  public convenience init(
    serverName: String? = nil, onEvent: @escaping @Sendable (JackServerEvent) -> Void
  ) throws(AudioError) {
    try self.init(
      program: "jackd", serverName: serverName ?? JackSessionConfiguration.defaultServerName,
      onEvent: onEvent)
  }

  /// The same with another program than jackd, for tests.
  init(
    program: String, serverName: String, onEvent: @escaping @Sendable (JackServerEvent) -> Void
  ) throws(AudioError) {
    thread = try BlockingThread(name: "jack-server") { thread in
      var loop = JackServerLoop(program: program, serverName: serverName, report: onEvent)
      loop.run(on: thread)
    }
  }

  deinit {
    _ = stop()
  }

  /// Begins; only the first call does, and none after `stop()`.
  ///
  /// - Throws: `AudioError.system` when no thread can be had.
  public func start() throws(AudioError) {
    try thread.start()
  }

  /// Ends the server: SIGTERM, and SIGKILL half a second later; stop the `JackSession` first.
  ///
  /// - Returns: false when it was still there after SIGKILL (stuck in the kernel).
  @discardableResult
  public func stop() -> Bool {
    thread.stop(withinMilliseconds: Self.stopLimitMilliseconds)
  }
}
