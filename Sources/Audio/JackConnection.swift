/// A session's standing connection to a JACK server.
public struct JackConnection: Hashable, Sendable {
  /// The server's name.
  public var server: String
  /// Our client's name on it.
  public var client: String
  /// Frames of one process callback.
  public var periodFrames: Int
  /// JACK's sample rate in hertz.
  public var sampleRate: Int
  /// SCHED_FIFO priority of the process callback; nil: the server is not real-time.
  public var realtimePriority: Int?

  /// A connection; for tests and displays.
  public init(
    server: String, client: String, periodFrames: Int, sampleRate: Int,
    realtimePriority: Int? = nil
  ) {
    self.server = server
    self.client = client
    self.periodFrames = periodFrames
    self.sampleRate = sampleRate
    self.realtimePriority = realtimePriority
  }
}
