/// What `comlink status --json` prints: one node seen from outside, at one moment.
///
/// Every field is described, with its unit, in `STATUS.md` beside this file. The compatibility
/// rule: within one ``schema`` number fields are only ever added, their name, unit and meaning never
/// change, and a reader ignores the fields it does not know. An absent field means "not known (yet)".
public struct Status: Sendable, Hashable, Codable {
  /// The schema this build writes.
  public static let currentSchema = 1
  /// Grows by one with the fields that are added within ``currentSchema``.
  public static let currentMinor = 5

  /// The version of this value's layout; ``currentSchema`` when written by this build.
  public var schema: Int
  /// Which fields of the schema there are; ``currentMinor`` when written by this build, absent before fields were counted.
  public var schemaMinor: Int?
  /// The node itself: who it is, where it listens, its microphone and mix.
  public var node: NodeStatus
  /// The JACK side: server, period, callback times, xruns.
  public var audio: AudioStatus
  /// The media loop: wake-ups, their latency, its scheduling.
  public var loop: LoopStatus
  /// Datagrams over all peers, and those dropped, by reason.
  public var network: NetworkStatus
  /// The recording that is under way, or the last one; absent before the first.
  public var recording: RecordingStatus?
  /// The control socket; filled in by ``ControlServer`` on the way out.
  public var control: ControlStatus?
  /// One entry per peer, in the order in which the node lists them.
  public var peers: [PeerStatus]

  /// A status of ``currentSchema``.
  public init(
    node: NodeStatus, audio: AudioStatus, loop: LoopStatus, network: NetworkStatus,
    peers: [PeerStatus]
  ) {
    self.schema = Self.currentSchema
    self.schemaMinor = Self.currentMinor
    self.node = node
    self.audio = audio
    self.loop = loop
    self.network = network
    self.peers = peers
  }
}
