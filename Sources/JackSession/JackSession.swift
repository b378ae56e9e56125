public import Audio
public import Habits
internal import Synchronization
internal import System

/// Keeps an engine connected to a JACK server: opens, watches, reopens, and remembers the port connections.
///
/// JACK's client calls block, some for as long as the server likes, so they all happen on one thread of the session's
/// own. States: *waiting* for a server → (*refused* ↔) → *running* → server gone → *waiting* …; while not running it
/// tries again each 500 ms, while running it sleeps until JACK gives notice of a change; only then the graph is read.
///
/// A server that runs and has called us no more for 10 s is opened anew (`Desertion`).
///
/// The mic without any connection is connected to the first capture port of a card that comes, and the mix to its first
/// two playback ports (both sides to the same one on a mono card; `CardPorts`). Else the graph is the user's: what is
/// connected when the server dies, or when a port of another program or of a peer goes away, is connected again when it
/// comes back, also by the next session that is handed the memory of this one (`PortMemory`),
/// and what the user cut stays cut.
///
/// All methods may be called from any thread.
public final class JackSession: Sendable {
  /// How long `stop()` waits for JACK.
  static let stopLimitMilliseconds = 300

  private let thread: BlockingThread
  private let requests: PortRequestQueue
  private let stateBox: JackSessionStateBox
  private let engine: AudioEngine
  private let serverName: String
  private let clientName: String
  private let calls: JackCalls
  private let onEvent: @Sendable (JackSessionEvent) -> Void
  private let keepsPorts = Atomic<Bool>(false)
  private let refusals: PortRefusalBits

  /// Prepares a session; `start()` begins it.
  ///
  /// - Parameters:
  ///   - engine: opened and closed by this session alone.
  ///   - configuration: which server, which names.
  ///   - onMemory: told of each change of what is to be connected again, on the session's thread;
  ///     must not block for long.
  ///   - onMIDI: told of each change of what is connected to the MIDI ports, likewise.
  ///   - onEvent: called on the session's thread, one event at a time, in order, and on the one that looks
  ///     (`makeLook()`). It must not block for long, or call `stop()`.
  /// - Throws: `AudioError.system`.
  public init(
    engine: AudioEngine, configuration: JackSessionConfiguration,
    onMemory: @escaping @Sendable (PortMemory) -> Void = { _ in },
    onMIDI: @escaping @Sendable (MIDIConnections) -> Void = { _ in },
    onEvent: @escaping @Sendable (JackSessionEvent) -> Void
  ) throws(AudioError) {
    let requests = PortRequestQueue()
    let stateBox = JackSessionStateBox()
    self.requests = requests
    self.stateBox = stateBox
    let calls = JackCalls()
    self.calls = calls
    let refusals = PortRefusalBits()
    self.refusals = refusals
    self.engine = engine
    self.onEvent = onEvent
    serverName = configuration.serverName
    clientName = configuration.clientName
    // The body holds the engine: it lives as long as a call into JACK is under way, whoever let go of it.
    do throws(SystemError) {
      thread = try BlockingThread(name: "jack-session") { thread in
        var loop = JackSessionLoop(
          engine: engine, configuration: configuration, requests: requests,
          report: { event in
            stateBox.apply(event)
            onEvent(event)
          },
          tellMemory: { memory in
            stateBox.remember(memory)
            onMemory(memory)
          }, tellMIDI: onMIDI, tellRefused: refusals.tell, tellCalls: calls.tell)
        loop.run(on: thread)
      }
    } catch {
      throw .system(error)
    }
  }

  deinit {
    _ = stop()
  }

  /// Where the session stands now.
  public var state: JackSessionState { stateBox.state }

  /// Whether a server is there that stands still or does not answer.
  public var isInTrouble: Bool { stateBox.trouble != nil }

  /// Whether the server freewheels: nothing is sent or played meanwhile.
  public var freewheels: Bool { stateBox.freewheels }

  /// What stands in the way of sound, or of ports, though there is a server, in words; nil: nothing.
  public var problem: String? {
    guard let (kind, since) = stateBox.trouble else { return stateBox.makeshift.map { "\($0)" } }
    return "\(event(kind, nanoseconds: monotonicNanoseconds() - since))"
  }

  /// Whether a call into JACK is lost, and only a new process can be rid of it: the server is gone,
  /// or runs without answering it.
  public var isLost: Bool { calls.areLost }

  /// What is to be called a few times a second, always by the same thread, which is not the session's: it finds out and
  /// tells that JACK stands still or hangs.
  ///
  /// It does not wait, nor lock but where there is something to tell.
  public func makeLook() -> (_ nowNanoseconds: Int64) -> Void {
    var watch = JackWatch()
    return { [self] now in
      let facts = JackWatch.Facts(
        nowNanoseconds: now, state: engine.state, periods: engine.periodTime()?.count ?? 0,
        callNanoseconds: calls.sinceNanoseconds, isFreewheeling: engine.isFreewheeling)
      let before = watch.trouble
      let isChanged = watch.look(facts)
      calls.areLost = watch.isLost
      guard isChanged else { return }
      stateBox.trouble = watch.trouble
      if let (kind, since) = watch.trouble {
        onEvent(event(kind, nanoseconds: now - since))
      } else if let before, facts.state == .running {
        // A server that is gone is told by the session.
        onEvent(
          .answers(
            server: serverName, seconds: Int((now - before.sinceNanoseconds) / 1_000_000_000)))
      }
    }
  }

  private func event(_ kind: JackWatch.Trouble, nanoseconds: Int64) -> JackSessionEvent {
    let seconds = Int(nanoseconds / 1_000_000_000)
    return switch kind {
    case .standsStill: .standsStill(server: serverName, seconds: seconds)
    case .hangs: .hangs(server: serverName, seconds: seconds)
    }
  }

  /// The connections that would be made again now.
  var rememberedConnections: Set<PortConnection> {
    Set(stateBox.memory.connections(of: clientName))
  }

  /// Begins; only the first call does, and none after `stop()`.
  ///
  /// - Throws: `AudioError.system` when no thread can be had.
  public func start() throws(AudioError) {
    do throws(SystemError) {
      try thread.start()
    } catch {
      throw .system(error)
    }
  }

  /// Leaves JACK and ends the session's thread, within 300 ms.
  ///
  /// A server that hangs (stopped, or stuck in a driver) can keep the thread inside a JACK call for longer; no call
  /// can be taken back. Then the thread is left behind with the engine it uses, and leaves JACK when the call returns
  /// or the process ends, whichever is first; the audio thread may run until then.
  ///
  /// - Returns: whether JACK let go in time.
  @discardableResult
  public func stop() -> Bool {
    thread.stop(withinMilliseconds: Self.stopLimitMilliseconds)
  }

  /// Gives the slot a port `peer_NAME`, renames the one it has, or will do so once JACK runs.
  ///
  /// Requests are carried out in their order, and again after the server came back; what JACK refused is asked for
  /// again each 10 s, too (``refusesPort(of:)``). Names are cut to 63 bytes;
  /// colons and control characters become underscores.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool {
    request(.set(slot, portName: PeerPortName.portName(forPeer: peerName)))
  }

  /// Whether JACK has no port for the slot, which is to have one.
  ///
  /// It neither waits nor locks.
  public func refusesPort(of slot: PeerSlot) -> Bool { refusals.contain(slot) }

  /// Takes the slot's port away; its connections are remembered for a port of the same name.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func clearPeerPort(_ slot: PeerSlot) -> Bool {
    request(.clear(slot))
  }

  /// Gives a bus a port, renames the one it has, or will do so once JACK runs; as ``setPeerPort(_:peerName:)``.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func setBusPort(_ bus: MixBus, name: String) -> Bool {
    request(.setBus(bus, portName: name))
  }

  /// Takes a bus' port away; its connections are remembered for a port of the same name.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func clearBusPort(_ bus: MixBus) -> Bool { request(.clearBus(bus)) }

  /// Gives the client the MIDI ports `keys_in` and `tally_out`, or takes them away; as ``setPeerPort(_:peerName:)``.
  ///
  /// The plugin in jackd has none.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func setMIDIPorts(_ areWanted: Bool) -> Bool { request(.setMIDI(areWanted)) }

  /// Leaves the peers' ports as they are from now on: at the end peers go one by one, and what the user connected to
  /// their ports is to outlast it, where the plugin has them.
  public func keepPorts() { keepsPorts.store(true, ordering: .relaxed) }

  private func request(_ request: PortRequest) -> Bool {
    guard !keepsPorts.load(ordering: .relaxed) else { return true }
    guard requests.append(request) else { return false }
    thread.wake()
    return true
  }
}
