/// Which of our JACK ports were connected with what, as it outlives a run.
public struct KeptPorts: Equatable, Sendable {
  /// One connection, by JACK's full port names.
  public struct Connection: Equatable, Sendable {
    /// The output port.
    public var source: String
    /// The input port.
    public var destination: String
    /// Whether the node chose it, and not the user.
    public var isAutomatic: Bool

    /// Describes a connection.
    public init(source: String, destination: String, isAutomatic: Bool) {
      self.source = source
      self.destination = destination
      self.isAutomatic = isAutomatic
    }
  }

  /// The most connections that are kept: of more the latest.
  public static let connectionLimit = 512
  /// The longest name of a port in UTF-8 (JACK's own limit is 319); a connection with a longer one is not kept.
  public static let nameLimitBytes = 1024

  /// The connections, the latest last.
  public var connections: [Connection]
  /// Whether the user took the microphone from the card.
  public var isCaptureCut: Bool
  /// The same of the mix.
  public var isPlaybackCut: Bool

  /// Connections; without arguments those of a node that never ran.
  public init(
    connections: [Connection] = [], isCaptureCut: Bool = false, isPlaybackCut: Bool = false
  ) {
    self.connections = connections
    self.isCaptureCut = isCaptureCut
    self.isPlaybackCut = isPlaybackCut
  }
}
