import Glibc

/// What the session's thread does, round by round; lives on that thread alone.
struct JackSessionLoop {
  private static let waitingMilliseconds = 500
  private static let startingMilliseconds = 10
  /// From a notice to the look at what it is about, and while a connection that is lost may yet be its program's end.
  private static let settlingMilliseconds = 25
  /// Longer than anything is left unsaid; JACK gives notice of what it has to say.
  private static let runningMilliseconds = 10_000

  private enum Phase {
    /// Not a client; the last attempt's event, so that it is told once.
    case closed(told: JackSessionEvent?)
    /// A client whose first period has not run yet; the callback count at opening.
    case starting(callbacks: UInt64)
    case running(JackConnection)
  }

  private let engine: AudioEngine
  private let configuration: JackSessionConfiguration
  private let requests: PortRequestQueue
  private let report: (JackSessionEvent) -> Void
  private let tellMemory: (Set<PortConnection>) -> Void

  private var phase = Phase.closed(told: nil)
  private var memory = ConnectionMemory()
  /// The full names of the peers' ports, as set.
  private var portNames: [PeerSlot: String] = [:]
  private var seenGraphChanges: UInt32?
  private var isPhysicalConnectionDue: Bool

  init(
    engine: AudioEngine, configuration: JackSessionConfiguration, requests: PortRequestQueue,
    report: @escaping (JackSessionEvent) -> Void,
    tellMemory: @escaping (Set<PortConnection>) -> Void
  ) {
    self.engine = engine
    self.configuration = configuration
    self.requests = requests
    self.report = report
    self.tellMemory = tellMemory
    isPhysicalConnectionDue = configuration.connectsPhysicalPorts
  }

  /// Runs until the thread is to stop, then leaves JACK.
  mutating func run(on thread: BlockingThread) {
    while !thread.isStopping {
      applyRequests()
      let isNoticed = thread.sleep(
        milliseconds: runRound(), orReadable: engine.noticeDescriptor)
      guard isNoticed else { continue }
      // A dying server takes the ports away one by one; asked meanwhile, it may never answer.
      thread.sleep(milliseconds: Self.settlingMilliseconds)
      engine.takeNotice()
    }
    engine.close()
    report(.stopped)
  }

  /// Does what is due; returns the milliseconds until the next round.
  private mutating func runRound() -> Int {
    switch phase {
    case .closed(let told):
      return open(told: told)
    case .starting, .running:
      guard engine.state == .running else { return loseServer() }
      watchPeriod()
      watchGraph()
      if case .starting = phase { return Self.startingMilliseconds }
      let isUnsettled = memory.needsAnotherLook || engine.graphChanges != seenGraphChanges
      return isUnsettled ? Self.settlingMilliseconds : Self.runningMilliseconds
    }
  }

  private mutating func applyRequests() {
    let taken = requests.takeAll()
    guard !taken.isEmpty else { return }
    // What hangs on the ports now is to be remembered before any of them goes.
    if engine.state == .running { watchGraph() }
    for request in taken {
      switch request {
      case .clear(let slot):
        losePort(of: slot)
        engine.clearPort(of: slot)
      case .set(let slot, let portName):
        setPort(of: slot, portName: portName)
      }
    }
  }

  private mutating func setPort(of slot: PeerSlot, portName: String) {
    let fullName = "\(configuration.clientName):\(portName)"
    guard portNames[slot] != fullName else { return }
    let code = engine.setPort(of: slot, name: portName)
    guard code == 0 else {
      report(.peerPortRefused(slot: slot, portName: portName, reason: errorWords(code)))
      return
    }
    losePort(of: slot)
    portNames[slot] = fullName
  }

  private mutating func losePort(of slot: PeerSlot) {
    guard let fullName = portNames.removeValue(forKey: slot) else { return }
    memory.losePort(fullName)
  }

  // MARK: Opening and losing

  private mutating func open(told: JackSessionEvent?) -> Int {
    _ = engine.takeMessages()
    let code =
      if let path = configuration.pluginPath {
        engine.open(plugin: path, client: configuration.clientName)
      } else {
        engine.open(server: configuration.serverName, client: configuration.clientName)
      }
    guard code != 0 else {
      phase = .starting(callbacks: engine.periodTime()?.count ?? 0)
      seenGraphChanges = nil
      // What the plugin's ports have from another daemon's time is the user's graph.
      if engine.isResumed, engine.connections()?.isEmpty == false {
        isPhysicalConnectionDue = false
      }
      connectPhysicalPorts()
      return 0
    }
    let event =
      configuration.pluginPath.map { pluginRefusal(code, path: $0) } ?? refusal(code)
    if event != told { report(event) }
    phase = .closed(told: event)
    return Self.waitingMilliseconds
  }

  private static let rateProblem =
    "runs at a sample rate beyond \(PeriodTime.rates.lowerBound)…\(PeriodTime.rates.upperBound) Hz: "
    + "start it with another one, best jackd … -r 48000"

  private func refusal(_ code: Int32) -> JackSessionEvent {
    let server = configuration.serverName
    let client = configuration.clientName
    switch code {
    case -ENOENT:
      return .waiting(server: server)
    case -EEXIST:
      return .refused(
        server: server,
        reason: "JACK client name '\(client)' is in use on server '\(server)': "
          + "stop the program that has it, or choose another name with --jack-client")
    case -ERANGE:
      return .refused(server: server, reason: "JACK server '\(server)' \(Self.rateProblem)")
    default:
      let messages = engine.takeMessages()
      return .refused(
        server: server,
        reason: "JACK server '\(server)' refused client '\(client)': "
          + (messages.isEmpty ? errorWords(code) : messages))
    }
  }

  private func pluginRefusal(_ code: Int32, path: String) -> JackSessionEvent {
    let reason =
      switch code {
      case -EPERM:
        "it is another user's: jackd and comlinkd have to run as the same one"
      case -EBUSY:
        "it plays for another comlinkd already"
      case -EPROTONOSUPPORT:
        "it is of another version: restart jackd, which keeps the old plugin in its memory"
      case -EINVAL:
        "it is not loaded as '\(configuration.clientName)': tell its name with --jack-client"
      case -ERANGE:
        "jackd \(Self.rateProblem)"
      case -EPROTO:
        "it makes no sense"
      default:
        errorWords(code)
      }
    let server = configuration.serverName
    return code == -ENOENT
      ? .waitingForPlugin(server: server, path: path)
      : .refused(server: server, reason: "the plugin in jackd, at \(path), refused: \(reason)")
  }

  private mutating func loseServer() -> Int {
    engine.close()
    memory.loseServer()
    phase = .closed(told: nil)
    report(.serverGone(server: configuration.serverName))
    return 0
  }

  // MARK: Watching

  private mutating func watchPeriod() {
    guard let period = engine.periodTime() else { return }
    let connection = JackConnection(
      server: configuration.serverName, client: configuration.clientName,
      periodFrames: period.periodFrames, sampleRate: period.sampleRate,
      realtimePriority: engine.realtimePriority())
    switch phase {
    case .starting(let callbacks) where period.count != callbacks:
      phase = .running(connection)
      report(.running(connection))
    case .running(let known) where known != connection:
      phase = .running(connection)
      report(.periodChanged(connection))
    case .closed, .starting, .running:
      break
    }
  }

  private mutating func watchGraph() {
    let changes = engine.graphChanges
    guard changes != seenGraphChanges || memory.needsAnotherLook else { return }
    // A dying server takes the ports away first; that must not look like the user's doing.
    guard let current = engine.connections(), engine.state == .running else { return }
    // The count from before the reading: a change in between is seen in the next round.
    seenGraphChanges = changes
    let missing = memory.observe(
      current, nowNanoseconds: monotonicNanoseconds(), hasPort: engine.hasPort)
    let restored = missing.count { engine.connect($0) == 0 }
    tellMemory(memory.connections)
    if restored > 0 { report(.connectionsRestored(count: restored)) }
  }

  // MARK: First opening

  private mutating func connectPhysicalPorts() {
    guard isPhysicalConnectionDue else { return }
    isPhysicalConnectionDue = false
    let connections = Self.physicalConnections(
      client: configuration.clientName, capture: engine.physicalPorts(capturing: true),
      playback: engine.physicalPorts(capturing: false))
    for connection in connections {
      _ = engine.connect(connection)
    }
  }

  /// The mic from the first capture port; the mix to the first two playback ports, or both sides to the only one.
  static func physicalConnections(
    client: String, capture: [String], playback: [String]
  ) -> [PortConnection] {
    var connections: [PortConnection] = []
    if let mic = capture.first {
      connections.append(PortConnection(source: mic, destination: "\(client):mic"))
    }
    if let left = playback.first {
      let right = playback.count > 1 ? playback[1] : left
      connections.append(PortConnection(source: "\(client):mix_left", destination: left))
      connections.append(PortConnection(source: "\(client):mix_right", destination: right))
    }
    return connections
  }
}
