public import Cryptography

/// What the user set of the sound, as it outlives a run.
public struct KeptMix: Equatable, Sendable {
  /// How one node is heard.
  public struct Peer: Equatable, Sendable {
    /// Its gain, dB.
    public var gainDecibels: Double
    /// Its place: -1 left, 1 right.
    public var pan: Double
    /// Whether it is not heard.
    public var isMuted: Bool

    /// Describes how it is heard.
    public init(gainDecibels: Double, pan: Double, isMuted: Bool) {
      self.gainDecibels = gainDecibels
      self.pan = pan
      self.isMuted = isMuted
    }
  }

  /// The most nodes of which something is kept.
  public static let peerLimit = 256

  /// Whether the microphone is open.
  public var isTalking: Bool
  /// The nodes for which something was set.
  public var peers: [NodeID: Peer]

  /// A mix; without arguments one in which nothing was set.
  public init(isTalking: Bool = true, peers: [NodeID: Peer] = [:]) {
    self.isTalking = isTalking
    self.peers = peers
  }
}

/// What members are called, as it outlives a run.
public struct KeptNames: Equatable, Sendable {
  /// One member's name.
  public struct Entry: Equatable, Sendable {
    /// What it calls itself.
    public var wish: String
    /// What it is called here.
    public var name: String

    /// A name.
    public init(wish: String, name: String) {
      self.wish = wish
      self.name = name
    }
  }

  /// The most members of which the name is kept.
  public static let entryLimit = 256
  /// The longest of either in UTF-8; a member with a longer one is not kept.
  public static let nameLimitBytes = 64

  /// The members by their IDs.
  public var entries: [NodeID: Entry]

  /// Names; without arguments those of a node that never met anybody.
  public init(entries: [NodeID: Entry] = [:]) { self.entries = entries }
}

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
