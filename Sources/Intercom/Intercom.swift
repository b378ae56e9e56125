internal import Audio
public import Cryptography
public import EventLoop
public import Habits
import JackSession
public import Lines
import Media
public import Mesh
import RTP
public import StatusSchema

/// A node of the intercom: its microphone, its ears, its peers.
///
/// An actor on its own io_uring loop: every call hops to that thread, which also runs the media path (``Station``)
/// synchronously once a JACK period. Calls are for control, a few a second.
public actor Intercom {
  private let loop: EventLoop
  let station: Station
  private let session: JackSession
  private let endpoint: UDPEndpoint
  private let levelBlock: LevelBlock
  nonisolated let guestMixer = GuestMixer()
  /// The MIDI ports, which are there once they are wanted (``setMIDIPorts(_:)``).
  public nonisolated let midi: MIDIPorts
  nonisolated let configuration: IntercomConfiguration
  /// Nodes that say they are up (``Knock``): hearsay, the latest few of a flood.
  let knocks: AsyncStream<NodeID>
  /// That ``mix`` changed: once for all changes since it was looked at.
  public nonisolated let mixChanges: AsyncStream<Void>
  /// Which JACK ports are connected, after each change; the latest only.
  public nonisolated let portMemories: AsyncStream<PortMemory>
  /// The same of ``names``.
  public nonisolated let nameChanges: AsyncStream<Void>
  /// Whether a speech test of the codec alone runs.
  var isJudgingCodec = false
  private let startNanoseconds = EventLoop.nowNanoseconds()

  /// The loop thread; tasks that call this actor often should prefer it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Binds the socket, allocates everything and starts the loop; audio follows with ``start()``.
  ///
  /// - Parameters:
  ///   - configuration: what the node is told.
  ///   - events: called on the loop thread or JACK's session thread; must not block.
  /// - Throws: what is missing for the node to run at all, in words.
  public init(
    configuration: IntercomConfiguration, events: @escaping @Sendable (IntercomEvent) -> Void
  ) throws(IntercomError) {
    self.configuration = configuration
    let (ports, portsContinuation) = AsyncStream.makeStream(
      of: PortMemory.self, bufferingPolicy: .bufferingNewest(1))
    portMemories = ports
    let parts = try IntercomParts(
      configuration: configuration, portsChanged: { portsContinuation.yield($0) }, events: events)
    loop = parts.loop
    endpoint = parts.endpoint
    session = parts.session
    station = parts.station
    midi = parts.midi
    let levels = parts.levels
    levelBlock = levels
    let (knocks, continuation) = AsyncStream.makeStream(
      of: NodeID.self, bufferingPolicy: .bufferingNewest(64))
    self.knocks = knocks
    parts.station.knocks.heard = { continuation.yield($0) }
    let (mixes, mixContinuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    mixChanges = mixes
    parts.station.mix.changed = {
      levels.noteChange()
      mixContinuation.yield()
    }
    let (names, namesContinuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    nameChanges = names
    parts.station.roster.namesChanged = {
      levels.noteChange()
      namesContinuation.yield()
    }
  }

  /// Starts the loop's thread and JACK's, and lets datagrams and JACK's beat in.
  public nonisolated func start() throws(IntercomError) {
    do throws(EventLoopError) {
      try loop.start()
    } catch {
      throw .eventLoop(error)
    }
    do throws(AudioError) {
      try session.start()
    } catch {
      throw .audio(error)
    }
  }

  /// Gives back the memory of what only the start needed, some seconds after it.
  ///
  /// Any thread.
  public nonisolated func forgetStart() { loop.forgetStart() }

  /// What the operating system refused and the node goes on without; complete after ``start()``.
  public nonisolated var warnings: [EventLoopWarning] {
    [loop.schedulingWarning, loop.memoryLockWarning].compactMap { $0 }
  }

  /// What the kernel gives the media loop; complete after ``start()``.
  public nonisolated var kernelFeatures: EventLoopFeatures { loop.features }

  /// How often the media loop woke so far: a loop that is stuck counts no further.
  ///
  /// Any thread; does not wait for the loop, which wakes at least each 10 ms until ``stop()``, also without JACK.
  public nonisolated var wakeUps: UInt64 { loop.statistics.wakes }

  /// How often something changed that ``levels`` do not tell.
  ///
  /// Any thread; does not wait for the loop.
  public nonisolated var revision: UInt64 { levelBlock.revision }

  /// Levels, and who talks, as of the wake-up of the media loop after the last call of this or ``status()``.
  ///
  /// Any thread; does not wait for the loop.
  public nonisolated var levels: LevelReading { levelBlock.read() }

  /// Whether JACK's client is lost inside a call, though there is a server that runs, or none:
  /// only a new process is rid of it.
  ///
  /// Any thread; does not wait.
  public nonisolated var isSoundLost: Bool { session.isLost }

  /// The address the node listens on, with the port the system chose where 0 was asked for.
  public nonisolated var localAddress: SocketAddress { endpoint.localAddress }

  /// Falls silent, leaves JACK and ends the loop.
  ///
  /// The node cannot be started again.
  public nonisolated func stop() async {
    await end()
    session.stop()
    loop.stop()
  }

  /// Whether there are to be MIDI ports `keys_in` and `tally_out`.
  public nonisolated func setMIDIPorts(_ areWanted: Bool) { session.setMIDIPorts(areWanted) }

  /// To be called before the members are left: JACK ports stay with their connections until ``stop()``.
  public nonisolated func keepPorts() { session.keepPorts() }

  /// What the user set of the sound.
  public var mix: Mix { station.mix.mix }

  /// What members are called, here or away.
  public var names: NameMemory { station.roster.names.memory }

  /// Goes on with the mix of a former run; to be called before members are admitted.
  public func restore(_ mix: Mix) { station.restore(mix) }

  /// Opens or closes the microphone for all.
  public func setTalk(_ isOn: Bool) {
    station.setTalk(isOn)
  }

  /// Takes whom the microphone goes to, and of whom what is played, as lines and keys have it.
  ///
  /// - Parameter isTalkLatched: the key of the line that all are on, which is kept as the user left it.
  public func follow(_ routing: LineRouting, isTalkLatched: Bool) {
    station.follow(routing)
    station.mix.setTalk(isTalkLatched)
  }

  /// Sets how loud the user hears the own microphone while it is open, −60…0 dB; nil: not at all.
  public func setSidetone(_ decibels: Double?) throws(IntercomError) {
    if let decibels, !NodeStatus.sidetoneRangeDecibels.contains(decibels) {
      throw .outOfRange("sidetone \(decibels) dB", NodeStatus.sidetoneRangeDecibels)
    }
    station.microphone.setSidetone(decibels)
  }

  /// Sets a peer's gain in decibels, −60…+18.
  public func setGain(_ decibels: Double, peer name: String) throws(IntercomError) {
    guard PeerStatus.gainRangeDecibels.contains(decibels) else {
      throw .outOfRange("gain \(decibels) dB", PeerStatus.gainRangeDecibels)
    }
    try station.roster.change(name) { $0.gainDecibels = decibels }
  }

  /// Sets a peer's place, −1 (left)…1 (right).
  public func setPan(_ pan: Double, peer name: String) throws(IntercomError) {
    guard PeerStatus.panRange.contains(pan) else {
      throw .outOfRange("pan \(pan)", PeerStatus.panRange)
    }
    try station.roster.change(name) { $0.pan = pan }
  }

  /// Has a peer be heard from a direction around the head, degrees; nil: by its pan.
  ///
  /// What that takes is read here, on the caller's side, so that it can be said at once where it is not there.
  public nonisolated func setPlace(
    _ azimuth: Double?, _ elevation: Double, peer name: String
  ) async throws(IntercomError) {
    guard let azimuth else { return try await place(name, at: nil) }
    guard PeerStatus.azimuthRangeDegrees.contains(azimuth) else {
      throw .outOfRange("azimuth \(azimuth)", PeerStatus.azimuthRangeDegrees)
    }
    guard PeerStatus.elevationRangeDegrees.contains(elevation) else {
      throw .outOfRange("elevation \(elevation)", PeerStatus.elevationRangeDegrees)
    }
    let (reserve, sampleRate) = await headTables()
    // A task that prefers the loop would run this on the loop.
    let looked = await withTaskExecutorPreference(globalConcurrentExecutor) {
      reserve.looked(sampleRate: sampleRate)
    }
    if case .failure(let missing) = looked { throw .refused(missing.words) }
    try await place(name, at: HeadPlace(azimuthDegrees: azimuth, elevationDegrees: elevation))
  }

  private func headTables() -> (HeadTableReserve, sampleRate: Int) {
    (station.streams.headTables, station.playout.beat.sampleRate)
  }

  private func place(_ name: String, at place: HeadPlace?) throws(IntercomError) {
    station.streams.surround.retry()
    try station.roster.change(name) { $0.place = place }
  }

  /// Silences a peer in this node's ears, or lets it be heard again.
  public func setMuted(_ isMuted: Bool, peer name: String) throws(IntercomError) {
    try station.roster.change(name) { $0.isMuted = isMuted }
  }

  /// Everything the node knows of itself now.
  ///
  /// The media loop takes values only; what is made of them is made here, on the caller's side.
  public nonisolated func status() async -> Status {
    let (snapshot, nowNanoseconds) = await snapshot()
    let uptimeSeconds = Double(nowNanoseconds - startNanoseconds) / 1e9
    // A task that prefers the loop would run this on the loop.
    return await withTaskExecutorPreference(globalConcurrentExecutor) {
      status(of: snapshot, uptimeSeconds: uptimeSeconds)
    }
  }

  private func snapshot() -> (StationSnapshot, Int64) {
    let now = EventLoop.nowNanoseconds()
    return (station.snapshot(nowNanoseconds: now), now)
  }

  private nonisolated func status(of snapshot: StationSnapshot, uptimeSeconds: Double) -> Status {
    var status = snapshot.status(
      configuration, of: loop, at: endpoint.localAddress, uptimeSeconds: uptimeSeconds)
    if case .running(let connection) = session.state { status.take(client: connection.client) }
    status.audio.implementation = "\(JackImplementation.ofThisProcess)"
    if case .refused(_, let reason) = session.state {
      (status.audio.state, status.audio.problem) = (.failed, reason)
      return status
    }
    status.audio.problem = session.problem
    if session.freewheels {
      status.audio.state = .freewheeling
    } else if session.isInTrouble, status.audio.state != .running {
      status.audio.state = .stalled
    }
    return status
  }

  private func end() { station.end() }
}

extension Status {
  /// Takes over what JACK calls us, which is another name beside a plugin that does not suit.
  fileprivate mutating func take(client: String) {
    guard client != audio.client else { return }
    let former = "\(audio.client):"
    audio.client = client
    func follow(_ guests: inout [GuestStatus]?) {
      for guest in guests?.indices ?? 0..<0 {
        let port = guests?[guest].port ?? ""
        guard port.hasPrefix(former) else { continue }
        guests?[guest].port = "\(client):" + port.dropFirst(former.count)
      }
    }
    follow(&guests)
    for index in peers.indices where peers[index].port.hasPrefix(former) {
      follow(&peers[index].guests)
      peers[index].port = "\(client):" + peers[index].port.dropFirst(former.count)
      for stream in peers[index].streams?.indices ?? 0..<0 {
        let port = peers[index].streams?[stream].port ?? ""
        guard port.hasPrefix(former) else { continue }
        peers[index].streams?[stream].port = "\(client):" + port.dropFirst(former.count)
      }
    }
  }
}

/// Members and media keys.
extension Intercom {
  /// Lets a member in, whose sound is heard as soon as its key came.
  ///
  /// Called again when it is called otherwise, or has other addresses.
  /// - Returns: false where there is no room for one more.
  @discardableResult
  public func admit(_ member: Member) -> Bool {
    station.admit(member, nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// Puts a member out: it is silent at once, and its keys and addresses are forgotten.
  ///
  /// A restart of a member is this, then ``admit(_:)``. That it hears no more of us takes another key of ours.
  public func expel(_ node: NodeID, saidGoodbye: Bool = false) {
    station.roster.expel(node, saidGoodbye: saidGoodbye)
  }

  /// The network of this machine changed: members that are not heard are reported to at once.
  public func networkChanged() {
    station.networkChanged(nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// Lets others have the name of a node that is no member: it was forgotten.
  public func freeName(of node: NodeID) { station.roster.freeName(of: node) }

  /// The same, without what they call themselves.
  public func calledNames() -> [NodeID: String] {
    station.roster.names.memory.entries.mapValues(\.name)
  }

  /// Calls this node otherwise from now on; its members are told by a ``Membership``.
  public func rename(_ name: String) { station.roster.rename(name) }
}
