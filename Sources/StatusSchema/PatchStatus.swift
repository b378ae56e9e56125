/// An input beside the microphone, in a ``Status``.
public struct InputStatus: Sendable, Hashable, Codable {
  /// What it is called.
  public var name: String
  /// Its JACK ports; one of two is sent in stereo.
  public var ports: [String]
  /// Whether others are sent it.
  public var isOn: Bool
  /// The lines that it is for; absent: all members, whatever lines they are on.
  public var lines: [String]?
  /// Whether there is something to hear of it, that is sent.
  public var isTalking: Bool
  /// RMS level of what comes in, on or not, dBFS.
  public var levelDBFS: Double

  /// An input as it is now.
  public init(
    name: String, ports: [String], isOn: Bool, isTalking: Bool = false,
    levelDBFS: Double = Level.silenceDBFS
  ) {
    (self.name, self.ports, self.isOn, self.isTalking) = (name, ports, isOn, isTalking)
    self.levelDBFS = Level.finite(levelDBFS)
  }
}

/// A bus with a port of its own, in a ``Status``.
public struct BusStatus: Sendable, Hashable, Codable {
  /// What it is called.
  public var name: String
  /// Its JACK port.
  public var port: String
  /// RMS level after its limiter, dBFS.
  public var levelDBFS: Double
  /// How loud those are on it who are not set by themselves, dB; absent: they are not on it.
  public var allDecibels: Double?
  /// Who is set by itself: name to dB.
  public var peersDecibels: [String: Double]
  /// Who is set not to be on it.
  public var peersOff: [String]

  /// A bus as it is now.
  public init(
    name: String, port: String, levelDBFS: Double = Level.silenceDBFS, allDecibels: Double? = 0,
    peersDecibels: [String: Double] = [:], peersOff: [String] = []
  ) {
    (self.name, self.port, self.levelDBFS) = (name, port, Level.finite(levelDBFS))
    (self.allDecibels, self.peersDecibels) = (allDecibels, peersDecibels)
    self.peersOff = peersOff
  }
}

/// A stream of a peer beside its microphone for all: another source, or for some only.
public struct PeerStreamStatus: Sendable, Hashable, Codable {
  /// What it is called beside the peer's name.
  public var name: String
  /// Its SSRC; absent before its first packet.
  public var ssrc: UInt32?
  /// Whether its sound comes in right now.
  public var isTalking: Bool
  /// RMS level of its sound before gain, dBFS.
  public var levelDBFS: Double
  /// Channels of its sound: 2 in stereo; absent before its first packet with sound.
  public var channels: Int?
  /// Packets of sound.
  public var received: Int
  /// Packets that never came.
  public var lost: Int
  /// Lost packets whose sound arrived in time.
  public var repaired: Int
  /// Packets that came too late to be played.
  public var late: Int
  /// Its sound on the wire, payload only, kbit/s.
  public var bitrateKilobits: Double
  /// How long its packets wait before they are played, milliseconds.
  public var playoutDelayMilliseconds: Double
  /// Its JACK output port; empty while there is none.
  public var port: String

  /// A stream of which nothing came yet.
  public init(name: String) {
    self.name = name
    (isTalking, levelDBFS) = (false, Level.silenceDBFS)
    (received, lost, repaired, late) = (0, 0, 0, 0)
    (bitrateKilobits, playoutDelayMilliseconds, port) = (0, 0, "")
  }
}
