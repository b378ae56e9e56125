/// The node's own part of a ``Status``.
public struct NodeStatus: Sendable, Hashable, Codable {
  /// The node's name, as the other nodes see it (SDES NAME).
  public var name: String
  /// The node's stable ID, the fingerprint of its key: 52 letters and digits.
  public var id: String?
  /// The first 64 bits of the ID as eight words, blanks between them.
  public var idWords: String?
  /// The number of this start, greater than that of each before it.
  public var instance: UInt64?
  /// Why ID and instance are good for this run only, in words; absent where they are kept.
  public var identityProblem: String?
  /// That this node's identity runs on another node, too, in words; absent where none is known.
  public var identityTwin: String?
  /// Why whom this node trusts and blocks is not known, in words; absent where it is.
  public var trustProblem: String?
  /// What holds for this run only, as it could not be written last, and why, in words; absent where all is kept.
  public var keepingProblem: String?
  /// The directory of what it keeps from start to start; absent: it has none.
  public var statePath: String?
  /// How often the key of its voice was changed since its start.
  public var keyEpoch: UInt64?
  /// Whose voice it sends back in place of its own; absent: nobody's.
  public var loopBack: LoopBackStatus?
  /// The machine's battery; absent where it has none.
  public var battery: BatteryStatus?
  /// The version of the daemon, such as `0.1.0`.
  public var version: String
  /// Seconds since the daemon started.
  public var uptimeSeconds: Double
  /// The address and port it receives on, such as `127.0.0.1:5004` or `[::1]:5004`.
  public var listen: String
  /// Whether the talk key is on, that is whether the microphone goes out to the peers.
  public var talk: Bool
  /// How loud the own microphone is in the own ear while the talk key is on, dB; absent: not at all.
  public var sidetoneDecibels: Double?
  /// How loud what is heard is, and what gives way to what, by name as `comlink ear` takes it; absent where an older
  /// daemon has none.
  public var ear: [String: String]?
  /// What is done to the own voice before it is sent; absent where an older daemon does nothing.
  public var voice: VoiceStatus?
  /// RMS level of the microphone, dBFS, never below ``Level/silenceDBFS``.
  public var micLevelDBFS: Double
  /// Peak level of the microphone in the last second, dBFS.
  public var micPeakDBFS: Double
  /// RMS level of the mix in the ear, dBFS: the louder of the two sides.
  public var mixLevelDBFS: Double
  /// The synchronisation source of what this node sends (RFC 3550 §5.1).
  public var ssrc: UInt32
  /// Audio per packet, milliseconds.
  public var ptimeMilliseconds: Double
  /// Target bit rate of the encoder, kbit/s, without headers: what is set, or less while the way to a peer
  /// takes no more.
  public var bitrateKilobits: Double
  /// Most payload to one peer, kbit/s, copies included.
  public var bitrateMaxKilobits: Double
  /// What Opus is tuned for: `lowdelay` or `voip`.
  public var application: String
  /// Whose settings are the defaults: `stage`, `wifi`, `saver` or `none`; absent where an older daemon does not tell.
  public var profile: String?

  /// The levels that the sidetone can have; 0 dB is as loud as a peer in the middle.
  public static let sidetoneRangeDecibels = -60.0...0.0
  /// What to do where there is an ``identityTwin``.
  public static let twinAdvice =
    "was its SD card or state copied? comlink id new on one of the two, then restart comlinkd"

  /// A node's part, talking off and everything silent unless said otherwise.
  public init(
    name: String, version: String, uptimeSeconds: Double, listen: String, talk: Bool = false,
    micLevelDBFS: Double = Level.silenceDBFS, micPeakDBFS: Double = Level.silenceDBFS,
    mixLevelDBFS: Double = Level.silenceDBFS, ssrc: UInt32, ptimeMilliseconds: Double,
    bitrateKilobits: Double, bitrateMaxKilobits: Double = 0, application: String
  ) {
    self.name = name
    self.version = version
    self.uptimeSeconds = uptimeSeconds
    self.listen = listen
    self.talk = talk
    self.micLevelDBFS = Level.finite(micLevelDBFS)
    self.micPeakDBFS = Level.finite(micPeakDBFS)
    self.mixLevelDBFS = Level.finite(mixLevelDBFS)
    self.ssrc = ssrc
    self.ptimeMilliseconds = ptimeMilliseconds
    self.bitrateKilobits = bitrateKilobits
    self.bitrateMaxKilobits = bitrateMaxKilobits
    self.application = application
  }
}

/// What is done to a node's own voice before it is sent.
public struct VoiceStatus: Sendable, Hashable, Codable {
  /// Each setting by name, as `comlink voice` takes it.
  public var settings: [String: String]
  /// How late it makes the voice, milliseconds.
  public var delayMilliseconds: Double
  /// Whether echo is taken out of it; absent: nothing looks for echo.
  public var isEchoFound: Bool?
  /// What looks for echo, `own` or `AEC3`; absent: nothing does.
  public var echoEngine: String?
  /// Whether the detector of speech hears a voice; absent: nothing needs it.
  public var hearsSpeech: Bool?
  /// What the automatic gain has come to, dB; absent: it is off.
  public var gainDecibels: Double?
  /// Whether the VOX lets the voice out; absent: it is off.
  public var isTransmitting: Bool?
  /// Whether somebody speaks into it while it is closed; absent: no detector listens.
  public var isTalkingMuted: Bool?
  /// What is not as set and why, in words; absent: all is.
  public var problem: String?

  /// The settings and what they cost.
  public init(settings: [String: String], delayMilliseconds: Double) {
    (self.settings, self.delayMilliseconds) = (settings, delayMilliseconds)
  }
}

/// The control socket's part of a ``Status``.
///
/// Counted since the daemon started.
public struct ControlStatus: Sendable, Hashable, Codable {
  /// Clients connected now, subscribers included.
  public var clients = 0
  /// Subscribers among them; absent where an older daemon has none.
  public var subscribers: Int?
  /// Well-formed requests.
  public var requests = 0
  /// Lines that were no request: no JSON, an unknown request, a field missing or out of range.
  public var malformed = 0
  /// Lines longer than the limit; the client is answered and dropped.
  public var oversized = 0
  /// Clients turned away because the limit of clients was reached.
  public var refused = 0
  /// Clients dropped because they were idle, or too slow to send a line or to take an answer.
  public var timedOut = 0

  /// Nothing counted yet.
  public init() {}
}
