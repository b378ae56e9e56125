internal import Synchronization

/// Keeps an engine connected to a JACK server: opens, watches, reopens, and remembers the port connections.
///
/// JACK's client calls block, some for as long as the server likes, so they all happen on one thread of the session's
/// own. States: *waiting* for a server → (*refused* ↔) → *running* → server gone → *waiting* …; while not running it
/// tries again each 500 ms, while running it sleeps until JACK gives notice of a change; only then the graph is read.
///
/// At the first opening the mic is connected to the card's first capture port, and the mix to its first two playback
/// ports (both sides to the same one on a mono card). From then on the graph is the user's: what is connected when the
/// server dies, or when a port of another program or of a peer goes away, is connected again when it comes back,
/// and what the user cut stays cut.
///
/// All methods may be called from any thread.
public final class JackSession: Sendable {
  /// How long `stop()` waits for JACK.
  static let stopLimitMilliseconds = 300

  private let thread: BlockingThread
  private let requests: PortRequestQueue
  private let stateBox: JackSessionStateBox
  private let keepsPorts = Atomic<Bool>(false)

  /// Prepares a session; `start()` begins it.
  ///
  /// - Parameters:
  ///   - engine: opened and closed by this session alone.
  ///   - configuration: which server, which names.
  ///   - onEvent: called on the session's thread, one event at a time, in order. It must not block for long, or call
  ///     `stop()`.
  /// - Throws: `AudioError.system`.
  public init(
    engine: AudioEngine, configuration: JackSessionConfiguration,
    onEvent: @escaping @Sendable (JackSessionEvent) -> Void
  ) throws(AudioError) {
    let requests = PortRequestQueue()
    let stateBox = JackSessionStateBox()
    self.requests = requests
    self.stateBox = stateBox
    // The body holds the engine: it lives as long as a call into JACK is under way, whoever let go of it.
    thread = try BlockingThread(name: "jack-session") { thread in
      var loop = JackSessionLoop(
        engine: engine, configuration: configuration, requests: requests,
        report: { event in
          stateBox.apply(event)
          onEvent(event)
        }, tellMemory: stateBox.remember)
      loop.run(on: thread)
    }
  }

  deinit {
    _ = stop()
  }

  /// Where the session stands now.
  public var state: JackSessionState { stateBox.state }

  /// The connections that would be made again now.
  var rememberedConnections: Set<PortConnection> { stateBox.connections }

  /// Begins; only the first call does, and none after `stop()`.
  ///
  /// - Throws: `AudioError.system` when no thread can be had.
  public func start() throws(AudioError) {
    try thread.start()
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
  /// Requests are carried out in their order, and again after the server came back. Names are cut to 63 bytes;
  /// colons and control characters become underscores.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool {
    request(.set(slot, portName: PeerPortName.portName(forPeer: peerName)))
  }

  /// Takes the slot's port away; its connections are remembered for a port of the same name.
  ///
  /// - Returns: false when too many requests wait; nothing was changed then.
  @discardableResult
  public func clearPeerPort(_ slot: PeerSlot) -> Bool {
    request(.clear(slot))
  }

  /// Leaves the peers' ports as they are from now on: at the end peers go one by one, and what the user connected to their
  /// ports is to outlast it, where the plugin has them.
  public func keepPorts() { keepsPorts.store(true, ordering: .relaxed) }

  private func request(_ request: PortRequest) -> Bool {
    guard !keepsPorts.load(ordering: .relaxed) else { return true }
    guard requests.append(request) else { return false }
    thread.wake()
    return true
  }
}
