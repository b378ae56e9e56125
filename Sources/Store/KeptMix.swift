public import Cryptography

/// The user's mix settings, kept across restarts.
public struct KeptMix: Equatable, Sendable {
  /// The mix settings of one node.
  public struct Peer: Equatable, Sendable {
    /// Its gain, dB.
    public var gainDecibels: Double
    /// Its pan: -1 left, 1 right.
    public var pan: Double
    /// Whether it is muted.
    public var isMuted: Bool

    /// Makes the settings of a node.
    public init(gainDecibels: Double, pan: Double, isMuted: Bool) {
      self.gainDecibels = gainDecibels
      self.pan = pan
      self.isMuted = isMuted
    }
  }

  /// Most nodes with saved settings.
  public static let peerLimit = 256

  /// Whether the talk key is on.
  public var isTalking: Bool
  /// The nodes with settings.
  public var peers: [NodeID: Peer]

  /// Makes a mix; without arguments an empty one.
  public init(isTalking: Bool = true, peers: [NodeID: Peer] = [:]) {
    self.isTalking = isTalking
    self.peers = peers
  }
}

/// Lines and keys, kept across restarts.
public struct KeptLines: Equatable, Sendable {
  /// What is lost where they cannot be read.
  public static let words = "the party lines that the node is on, and its keys"

  /// What their own code makes of them; none: nothing was set.
  public var octets: [UInt8]

  /// Makes lines and keys; without an argument none.
  public init(octets: [UInt8] = []) { self.octets = octets }
}

/// Names of members, kept across restarts.
public struct KeptNames: Equatable, Sendable {
  /// One member's name.
  public struct Entry: Equatable, Sendable {
    /// Its own name.
    public var wish: String
    /// Its name here.
    public var name: String

    /// A name.
    public init(wish: String, name: String) {
      self.wish = wish
      self.name = name
    }
  }

  /// Most members with a saved name.
  public static let entryLimit = 256
  /// Longest of either in UTF-8; a member with a longer one is not saved.
  public static let nameLimitBytes = 64

  /// The members by their IDs.
  public var entries: [NodeID: Entry]

  /// Makes the names; without arguments none.
  public init(entries: [NodeID: Entry] = [:]) { self.entries = entries }
}

/// Connections of our JACK ports, kept across restarts.
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

  /// Most connections that are saved: the latest.
  public static let connectionLimit = 512
  /// Longest name of a port in UTF-8 (JACK's own limit is 319); a connection with a longer one is not saved.
  public static let nameLimitBytes = 1024

  /// The connections, the latest last.
  public var connections: [Connection]
  /// Whether the user disconnected the microphone from the card.
  public var isCaptureCut: Bool
  /// The same of the mix.
  public var isPlaybackCut: Bool

  /// Makes the connections; without arguments none.
  public init(
    connections: [Connection] = [], isCaptureCut: Bool = false, isPlaybackCut: Bool = false
  ) {
    self.connections = connections
    self.isCaptureCut = isCaptureCut
    self.isPlaybackCut = isPlaybackCut
  }
}
