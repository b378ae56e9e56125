/// The JACK side of a ``Status``.
public struct AudioStatus: Sendable, Hashable, Codable {
  /// Whether there is a JACK server to play on.
  ///
  /// Words a reader does not know are shown as they are.
  public struct State: RawRepresentable, Sendable, Hashable, Codable {
    /// The word in the JSON.
    public var rawValue: String
    /// A state by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No JACK server runs; the node waits for one.
    public static let waiting = State(rawValue: "waiting")
    /// The process callback runs.
    public static let running = State(rawValue: "running")
    /// The server refuses this client, as one of that name is there or by its sample rate;
    /// tried again each half second.
    public static let failed = State(rawValue: "failed")
    /// A server is there, and stands still: it runs no period, or does not answer.
    public static let stalled = State(rawValue: "stalled")
    /// The server freewheels, as for an export: nothing is sent or played until that ends.
    public static let freewheeling = State(rawValue: "freewheeling")
  }

  /// Whether sound runs.
  public var state: State
  /// What is wrong, in words: why it failed or stalled, or what does not work though sound runs;
  /// absent where all is well.
  public var problem: String?
  /// The name of the JACK server.
  public var server: String
  /// Whose JACK it is, with its version: `jackd 1.9.21`, `PipeWire 0.3.65`; absent where an older daemon does not tell.
  public var implementation: String?
  /// The name of the JACK client, as the server gave it.
  public var client: String
  /// The server's sample rate, Hz; 0 while waiting.
  public var sampleRate: Int
  /// The frames of one process callback; 0 while waiting.
  public var periodFrames: Int
  /// Cycles that the JACK server's driver began too late (xruns), since the daemon started.
  public var xruns: Int
  /// Periods that the server ran without us, as our callback ended too late.
  public var missedPeriods: Int
  /// Periods of peers with nothing to play while they talked, by cause; absent before the node's first period.
  ///
  /// `callbacks`, `wakeUps` and `work`, see `STATUS.md`; only those that happened.
  public var underruns: [String: Int]?
  /// Periods longer than the node takes, 8192 frames, in which it played silence;
  /// absent where an older daemon does not count them.
  public var refusedPeriods: Int?
  /// Times a ring between the callback and the media loop was seen below empty or above full:
  /// any is a defect of the node's.
  public var ringErrors: Int?
  /// Mean time in the process callback, microseconds.
  public var callbackMeanMicroseconds: Double
  /// Longest time in the process callback since the daemon started, microseconds.
  public var callbackWorstMicroseconds: Double
  /// The same of the last minute.
  public var callbackRecentWorstMicroseconds: Double?
  /// Mean share of the period spent in the process callback, percent.
  public var callbackLoadPercent: Double
  /// Periods whose microphone frames found the capture ring full.
  public var captureOverruns: Int

  /// The audio part; all figures 0 unless given.
  public init(
    state: State, server: String, client: String, sampleRate: Int = 0, periodFrames: Int = 0,
    xruns: Int = 0, missedPeriods: Int = 0, callbackMeanMicroseconds: Double = 0,
    callbackWorstMicroseconds: Double = 0, callbackLoadPercent: Double = 0, captureOverruns: Int = 0
  ) {
    self.state = state
    self.server = server
    self.client = client
    self.sampleRate = sampleRate
    self.periodFrames = periodFrames
    self.xruns = xruns
    self.missedPeriods = missedPeriods
    self.callbackMeanMicroseconds = callbackMeanMicroseconds
    self.callbackWorstMicroseconds = callbackWorstMicroseconds
    self.callbackLoadPercent = callbackLoadPercent
    self.captureOverruns = captureOverruns
  }
}

/// Levels in a ``Status``: JSON has no infinity, so silence needs a number.
public enum Level {
  /// What a level of digital silence is written as, dBFS.
  public static let silenceDBFS = -120.0

  /// The level as JSON can carry it: at least ``silenceDBFS``, and that too for "not a number".
  public static func finite(_ levelDBFS: Double) -> Double {
    levelDBFS.isFinite ? max(levelDBFS, silenceDBFS) : silenceDBFS
  }
}
