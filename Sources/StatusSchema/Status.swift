/// What `comlink status --json` prints: one node seen from outside, at one moment.
///
/// Every field is described, with its unit, in `STATUS.md` beside this file. The compatibility
/// rule: within one ``schema`` number fields are only ever added, their name, unit and meaning never
/// change, and a reader ignores the fields it does not know. An absent field means "not known (yet)".
public struct Status: Sendable, Hashable, Codable {
  /// The schema this build writes.
  public static let currentSchema = 1
  /// Grows by one with the fields that are added within ``currentSchema``.
  public static let currentMinor = 10

  /// The version of this value's layout; ``currentSchema`` when written by this build.
  public var schema: Int
  /// Which fields of the schema there are; ``currentMinor`` when written by this build,
  /// absent before fields were counted.
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
  /// Messages; absent where an older daemon has none.
  public var messages: MessagesStatus?
  /// The assistant; absent where an older daemon has none.
  public var assistant: AssistantStatus?
  /// Captions; absent where an older daemon has none.
  public var captions: CaptionsStatus?
  /// The control socket; filled in by ``ControlServer`` on the way out.
  public var control: ControlStatus?
  /// One entry per peer, in the order in which the node lists them.
  public var peers: [PeerStatus]
  /// The party lines of the group, `all` first; absent where an older daemon has none.
  public var lines: [LineStatus]?
  /// The keys, by name; absent where an older daemon has none.
  public var keys: [KeyStatus]?
  /// Calls; absent where an older daemon knows none.
  public var calls: CallsStatus?

  /// The MIDI ports of the keys; absent where no key has a MIDI control.
  public var midi: MIDIStatus?

  /// Inputs beside the microphone; absent where there are none.
  public var inputs: [InputStatus]?
  /// Buses with ports of their own; absent where there are none.
  public var buses: [BusStatus]?

  /// Members that may set something here; absent where there are none.
  public var operators: [OperatorStatus]?

  /// People at browsers who are guests of this node; absent where there are none.
  public var guests: [GuestStatus]?

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

/// The datagrams of all peers together, in a ``Status``.
///
/// Counted since the daemon started.
public struct NetworkStatus: Sendable, Hashable, Codable {
  /// Datagrams given to the kernel, sound and reports.
  public var packetsSent: Int
  /// Datagrams taken from the kernel, good and bad.
  public var packetsReceived: Int
  /// Datagrams that went no further, by reason (`truncated`, `unknownSource`, …).
  ///
  /// Only reasons that happened are listed.
  public var drops: [String: Int]

  /// The network's part.
  public init(packetsSent: Int, packetsReceived: Int, drops: [String: Int] = [:]) {
    self.packetsSent = packetsSent
    self.packetsReceived = packetsReceived
    self.drops = drops
  }
}

/// The media loop's part of a ``Status``.
public struct LoopStatus: Sendable, Hashable, Codable {
  /// Times the loop woke up since the daemon started.
  public var wakes: Int
  /// Times the loop's thread entered the kernel: one a wake-up, seldom more.
  public var enters: Int
  /// Median time from the end of the process callback to the loop running, microseconds.
  public var wakeLatencyP50Microseconds: Double
  /// The same, 99th percentile.
  public var wakeLatencyP99Microseconds: Double
  /// The loop thread's scheduling: `fifo 55`, or `other` without the permission for real time.
  public var scheduling: String
  /// Whether the daemon's memory is locked in RAM.
  public var memoryLocked: Bool

  /// The loop's part.
  public init(
    wakes: Int, enters: Int, wakeLatencyP50Microseconds: Double,
    wakeLatencyP99Microseconds: Double, scheduling: String, memoryLocked: Bool
  ) {
    self.wakes = wakes
    self.enters = enters
    self.wakeLatencyP50Microseconds = wakeLatencyP50Microseconds
    self.wakeLatencyP99Microseconds = wakeLatencyP99Microseconds
    self.scheduling = scheduling
    self.memoryLocked = memoryLocked
  }
}
