/// Starts a JACK server and keeps it running: `--start-jack`.
///
/// Where a server of that name runs already, because somebody else started it, none is started before it ends. The session beside it is
/// the first to see one (`note(_:)`), and jackd itself the authority: it refuses to start twice.
///
/// A thread of its own starts jackd for the sound card it finds, or with the dummy driver, waits for its end and starts
/// it again after a growing delay (0.5 s, doubled to 10 s; anew after 30 s of running). The server ends with us,
/// however we end: see `ChildProcess`.
///
/// All methods may be called from any thread.
public final class JackServerLauncher: Sendable {
  /// Half a second for SIGTERM (jackd takes about 30 ms), then SIGKILL and what the kernel needs.
  static let stopLimitMilliseconds = 650
  /// A session that is going to say something has said it by then.
  private static let looksMilliseconds = 2000

  private let thread: BlockingThread
  private let sight: ServerSight

  /// Prepares a launcher; `start()` begins it.
  ///
  /// - Parameters:
  ///   - serverName: the server's name; nil for the one JACK programs use by default.
  ///   - periodFrames: its period; nil: as short as the card or the dummy driver is known to do.
  ///   - onEvent: called on the launcher's thread, one event at a time, in order. It must not call `stop()`.
  /// - Throws: `AudioError.system`.
  public convenience init(
    serverName: String? = nil, periodFrames: Int? = nil,
    onEvent: @escaping @Sendable (JackServerEvent) -> Void
  ) throws(AudioError) {
    try self.init(
      program: "jackd", serverName: serverName ?? JackSessionConfiguration.defaultServerName,
      periodFrames: periodFrames, looksMilliseconds: Self.looksMilliseconds, onEvent: onEvent)
  }

  /// The same with another program than jackd, for tests, and with so long for a session to say what it sees.
  init(
    program: String, serverName: String, periodFrames: Int? = nil, looksMilliseconds: Int = 0,
    onEvent: @escaping @Sendable (JackServerEvent) -> Void
  ) throws(AudioError) {
    let sight = ServerSight()
    self.sight = sight
    thread = try BlockingThread(name: "jack-server") { thread in
      var loop = JackServerLoop(
        program: program, serverName: serverName, periodFrames: periodFrames,
        looksMilliseconds: looksMilliseconds, sight: sight, report: onEvent)
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

  /// Takes in what the session beside it says, which tells whether a server runs.
  public func note(_ event: JackSessionEvent) {
    sight.note(event)
    thread.wake()
  }

  /// Ends the server: SIGTERM, and SIGKILL half a second later; stop the `JackSession` first.
  ///
  /// - Returns: false when it was still there after SIGKILL (stuck in the kernel).
  @discardableResult
  public func stop() -> Bool {
    thread.stop(withinMilliseconds: Self.stopLimitMilliseconds)
  }
}

/// What happens to a JACK server we start, each reported once when it happens.
public enum JackServerEvent: Hashable, Sendable {
  /// jackd was started, with these arguments.
  case started(processIdentifier: Int32, arguments: [String])
  /// A server of that name runs that is not ours; told once, and another one started when it ends.
  case alreadyRunning(server: String)
  /// No jackd is there to start; looked for again each 10 s.
  case notInstalled
  /// jackd ended by itself, with the last lines it wrote; started again after the delay.
  case ended(reason: String, output: String, retryMilliseconds: Int)
  /// The operating system did not start it; tried again after the delay.
  case failed(reason: String, retryMilliseconds: Int)
  /// `JackServerLauncher.stop()` ended it.
  case stopped
}

extension JackServerEvent: CustomStringConvertible {
  /// One line for a log.
  public var description: String {
    switch self {
    case .started(let identifier, let arguments):
      "started jackd \(arguments.joined(separator: " ")) (process \(identifier))"
    case .alreadyRunning(let server):
      "--start-jack: JACK server '\(server)' runs already; one is started when it ends"
    case .notInstalled:
      "--start-jack: jackd is not installed; install it: sudo apt-get install jackd2"
    case .ended(let reason, let output, let retryMilliseconds):
      "jackd ended (\(reason)); trying again in \(retryMilliseconds) ms; it wrote: \(output)"
    case .failed(let reason, let retryMilliseconds):
      "jackd did not start: \(reason); trying again in \(retryMilliseconds) ms"
    case .stopped:
      "ended jackd"
    }
  }
}
