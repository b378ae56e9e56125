/// One peer in a ``Status``.
///
/// Counters run since the peer connected.
public struct PeerStatus: Sendable, Hashable, Codable {
  /// How far a peer is.
  ///
  /// Words a reader does not know are shown as they are.
  public struct State: RawRepresentable, Sendable, Hashable, Codable {
    /// The word in the JSON.
    public var rawValue: String
    /// A state by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// We send, nothing came back yet.
    public static let connecting = State(rawValue: "connecting")
    /// Packets or reports come in.
    public static let connected = State(rawValue: "connected")
    /// Nothing comes any more, not even reports; it may come back.
    public static let silent = State(rawValue: "silent")
  }

  /// The peer's own name for itself, or its address until it told one.
  public var name: String
  /// Its stable ID, as in ``KnownNodeStatus``.
  public var id: String?
  /// The number of its start, as ``NodeStatus/instance``; absent where it is not known.
  public var instance: UInt64?
  /// What it says it is for, such as `stage left`; absent where it says nothing.
  public var role: String?
  /// The colour to show it in, red, green and blue as `ff8000`; absent where it has none.
  public var colour: String?
  /// The version of its daemon, as it says; absent where it says nothing.
  public var version: String?
  /// Its address and port, such as `127.0.0.1:5004` or `[::1]:5004`.
  public var address: String
  /// How far it is.
  public var state: State
  /// The synchronisation source it sends with (RFC 3550 §5.1); absent before its first packet.
  public var ssrc: UInt32?
  /// Whether its sound comes in right now.
  public var isTalking: Bool
  /// What it sends beside its microphone for all; absent where that is all.
  public var streams: [PeerStreamStatus]?
  /// RMS level of its sound before gain, dBFS, never below ``Level/silenceDBFS``.
  public var levelDBFS: Double
  /// Its gain in the mix, dB.
  public var gainDecibels: Double
  /// What is added to that as talkers are brought to like loudness, dB; absent where they are not.
  public var levellingDecibels: Double?
  /// Its place in the mix: -1 left, 0 centre, 1 right.
  public var pan: Double
  /// Where it is heard around the head, degrees: 0 ahead, 90 right; absent: by its pan.
  public var azimuthDegrees: Double?
  /// The same, up.
  public var elevationDegrees: Double?
  /// Whether it is muted in the mix.
  public var isMuted: Bool
  /// Whether it says that it records what it hears.
  public var isRecording: Bool?
  /// Whether it says that it sends somebody's voice back in place of its own.
  public var isLoopingBack: Bool?
  /// Who is there, as it says: `deaf`, `hearing` or `both`; absent: it does not say.
  public var people: String?
  /// What it says that it changes its voice into, such as `radio`; absent: nothing.
  public var effect: String?
  /// Interarrival jitter (RFC 3550 §6.4.1), milliseconds.
  public var jitterMilliseconds: Double
  /// Round-trip time from the reports (RFC 3550 §6.4.1), milliseconds; absent before the first.
  public var roundTripMilliseconds: Double?
  /// How long its packets wait before they are played, milliseconds.
  public var playoutDelayMilliseconds: Double
  /// How much faster than ours its sample clock runs, parts per million, as far as known; absent
  /// before its first packet.
  public var driftPPM: Double?
  /// Whether that is known to within a few ppm; absent before its first packet.
  public var isClockLocked: Bool?
  /// Packets of sound received.
  public var received: Int
  /// Packets that never came (RFC 3550 A.3: expected less received).
  public var lost: Int
  /// Packets whose sound was there in time by a copy, sent again or by in-band FEC,
  /// whether or not they came themselves later.
  public var repaired: Int
  /// How many of those were sent again.
  public var resent: Int
  /// How many of those were decoded from what the packet after them tells of them (in-band FEC);
  /// absent before its first packet.
  public var recovered: Int?
  /// Packets that came too late to be played.
  public var late: Int
  /// Packets that came more than once.
  public var duplicate: Int
  /// Codec frames made up because their packet was not there in time.
  public var concealed: Int
  /// Periods in which the mixer found nothing to play of this peer while it talked.
  public var underrun: Int
  /// Times its sound was shortened or lengthened by a splice, as its delay was not what it should be.
  public var spliced: Int
  /// Share of its packets that never came, percent.
  public var lossPercent: Double
  /// Share of our packets that never came there, percent, from its last report; absent before it.
  public var remoteLossPercent: Double?
  /// Bit rate of its sound on the wire, payload only, kbit/s.
  public var bitrateKilobits: Double
  /// Bit rate of our sound to it on the wire, payload only, kbit/s: as coded now, with copies; absent
  /// until it is connected.
  public var sentBitrateKilobits: Double?
  /// Which copies our packets to it carry: `none`, how many packets behind, such as `1+3 low rate`, or `in-band FEC`;
  /// absent until it is connected.
  public var sentCopies: String?
  /// How good it is heard, 0 (nothing is understood) to 5 (as good as it gets); absent until it was.
  public var quality: Double?
  /// Why, in words; absent with ``quality``.
  public var qualityReason: String?
  /// People at browsers who are its guests; absent where there are none.
  public var guests: [GuestStatus]?
  /// Its JACK output port, such as `comlink:peer_B`; empty while there is none.
  public var port: String

  /// A peer about which nothing is known yet but its name and address.
  public init(name: String, address: String, state: State = .connecting) {
    self.name = name
    self.address = address
    self.state = state
    isTalking = false
    levelDBFS = Level.silenceDBFS
    gainDecibels = 0
    pan = 0
    isMuted = false
    jitterMilliseconds = 0
    playoutDelayMilliseconds = 0
    (received, lost, late, duplicate, concealed, underrun) = (0, 0, 0, 0, 0, 0)
    (repaired, resent, spliced) = (0, 0, 0)
    lossPercent = 0
    bitrateKilobits = 0
    port = ""
  }
}

/// What can be asked for.
extension PeerStatus {
  /// Gains in dB: down to inaudible, up by what a limiter still takes.
  public static let gainRangeDecibels = -60.0...18.0
  /// Places between left, -1, and right, 1.
  public static let panRange = -1.0...1.0
  /// Directions around the head: 0 ahead, 90 right, -90 left.
  public static let azimuthRangeDegrees = -180.0...180.0
  /// The same, up: as far down as was measured.
  public static let elevationRangeDegrees = -40.0...90.0
}
