import Glibc
public import Habits

/// Where and how a session connects to JACK.
public struct JackSessionConfiguration: Hashable, Sendable {
  /// The JACK server's name.
  public var serverName: String
  /// Our client's name on it.
  public var clientName: String
  /// Whether the mic and the mix are connected to a sound card's ports where they are connected to nothing.
  public var connectsPhysicalPorts: Bool
  /// The socket of the plugin in jackd that plays the engine; nil: the engine is a JACK client of its own.
  public var pluginPath: String?
  /// What a former session connected, to be connected again.
  public var memory = PortMemory()

  /// A configuration.
  ///
  /// - Parameters:
  ///   - serverName: nil for JACK's own choice: `$JACK_DEFAULT_SERVER`, or "default".
  ///   - clientName: at most 63 bytes, without a colon.
  ///   - connectsPhysicalPorts: false for `--no-connect`.
  ///   - pluginPath: for an engine made `isForPlugin`; the plugin is loaded under the client's name.
  public init(
    serverName: String? = nil, clientName: String = "comlink", connectsPhysicalPorts: Bool = true,
    pluginPath: String? = nil
  ) {
    self.serverName = serverName ?? Self.defaultServerName
    self.clientName = clientName
    self.connectsPhysicalPorts = connectsPhysicalPorts
    self.pluginPath = pluginPath
  }

  /// The server JACK programs use when told nothing.
  public static var defaultServerName: String {
    guard let name = unsafe getenv("JACK_DEFAULT_SERVER") else { return "default" }
    let text = unsafe String(cString: name)
    return text.isEmpty ? "default" : text
  }
}

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
  /// Whose server it is; nil: untold.
  public var implementation: JackImplementation?

  /// A connection; for tests and displays.
  public init(
    server: String, client: String, periodFrames: Int, sampleRate: Int,
    realtimePriority: Int? = nil, implementation: JackImplementation? = nil
  ) {
    self.server = server
    self.client = client
    self.periodFrames = periodFrames
    self.sampleRate = sampleRate
    self.realtimePriority = realtimePriority
    self.implementation = implementation
  }
  /// Whether both run periods of the same length at the same rate.
  ///
  /// The callback's priority comes and goes with freewheeling, and is no news.
  func hasFigures(of other: JackConnection) -> Bool {
    periodFrames == other.periodFrames && sampleRate == other.sampleRate
  }
}
