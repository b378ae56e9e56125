internal import Audio
import Glibc
import Habits
internal import System

/// What the session's thread does, round by round; lives on that thread alone.
struct JackSessionLoop {
  private static let waitingMilliseconds = 500
  private static let startingMilliseconds = 10
  /// From a notice to the look at what it is about, and while a connection that is lost may yet be its program's end.
  private static let settlingMilliseconds = 25
  /// While what JACK gave notice of may yet show: a new period shows in the first callback of its length.
  private static let noticedMilliseconds = 100
  /// Longer than a period, and than a card takes to begin anew.
  private static let noticedNanoseconds: Int64 = 2_000_000_000
  /// JACK gives notice of what it has to say; that it says nothing any more is to be seen.
  private static let runningMilliseconds = Desertion.lookMilliseconds

  /// Of the graph, and of what JACK says.
  private struct Seen {
    var graphChanges: UInt32?
    var noticeNanoseconds: Int64 = 0
  }

  private enum Phase {
    /// Not a client; the last attempt's event, so that it is told once.
    case closed(told: JackSessionEvent?)
    /// A client whose first period has not run yet; the callback count at opening.
    case starting(callbacks: UInt64)
    case running(JackConnection)
  }

  let engine: AudioEngine
  let configuration: JackSessionConfiguration
  let requests: PortRequestQueue
  let report: (JackSessionEvent) -> Void
  private let tellMemory: (PortMemory) -> Void
  let tellRefused: (Set<PeerSlot>) -> Void
  /// Told when the thread goes into JACK, and when it is out again.
  private let tellCalls: (_ isInside: Bool) -> Void

  private var phase = Phase.closed(told: nil)
  /// What we are called on the server; another than configured beside a plugin that has the name.
  private var client: String
  /// Whether the plugin beside us has gone since, and may come back as one that suits.
  private var hasMisfitGone = false
  /// Both by the client's name as configured.
  var memory: ConnectionMemory
  private var cards: CardPorts
  private var toldMemory: PortMemory
  var wishes = PortWishes<PeerSlot>()
  var busWishes = PortWishes<MixBus>()
  var midi: MIDIWish
  private var seen = Seen()
  private var freewheelNanoseconds: Int64?
  private var desertion = Desertion()
  var isPipeWireTold = false

  init(
    engine: AudioEngine, configuration: JackSessionConfiguration, requests: PortRequestQueue,
    report: @escaping (JackSessionEvent) -> Void,
    tellMemory: @escaping (PortMemory) -> Void,
    tellMIDI: @escaping (MIDIConnections) -> Void,
    tellRefused: @escaping (Set<PeerSlot>) -> Void,
    tellCalls: @escaping (_ isInside: Bool) -> Void
  ) {
    self.engine = engine
    self.configuration = configuration
    self.requests = requests
    self.report = report
    self.tellMemory = tellMemory
    midi = MIDIWish(tell: tellMIDI)
    self.tellRefused = tellRefused
    self.tellCalls = tellCalls
    client = configuration.clientName
    let kept = configuration.memory
    memory = ConnectionMemory(kept.connections(of: configuration.clientName))
    cards = CardPorts(kept, client: configuration.clientName)
    toldMemory = kept
  }

  /// Runs until the thread is to stop, then leaves JACK.
  mutating func run(on thread: BlockingThread) {
    while !thread.isStopping {
      tellCalls(true)
      applyRequests()
      let milliseconds = runRound()
      tellCalls(false)
      let isNoticed = thread.sleep(milliseconds: milliseconds, orReadable: engine.noticeDescriptor)
      guard isNoticed else { continue }
      // A dying server takes the ports away one by one; asked meanwhile, it may never answer.
      thread.sleep(milliseconds: Self.settlingMilliseconds)
      engine.takeNotice()
      seen.noticeNanoseconds = monotonicNanoseconds()
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
      watchFreewheel()
      watchPeriod()
      watchGraph()
      askForRefusedPorts()
      if isDeserted() { return 0 }
      if case .starting = phase { return Self.startingMilliseconds }
      let isUnsettled =
        memory.needsAnotherLook || cards.needsAnotherLook
        || engine.graphChanges != seen.graphChanges
      if isUnsettled { return Self.settlingMilliseconds }
      let isNews = monotonicNanoseconds() - seen.noticeNanoseconds < Self.noticedNanoseconds
      return isNews || freewheelNanoseconds != nil
        ? Self.noticedMilliseconds : Self.runningMilliseconds
    }
  }

  // MARK: Opening and losing

  private mutating func open(told: JackSessionEvent?) -> Int {
    _ = engine.takeMessages()
    client = configuration.clientName
    let code =
      if let path = configuration.pluginPath {
        engine.open(plugin: path, client: client)
      } else {
        openClient(client)
      }
    if code == 0 || openBesidePlugin(code) {
      begin()
      return 0
    }
    let event =
      configuration.pluginPath.map { pluginRefusal(code, path: $0) } ?? refusal(code)
    if event != told {
      report(event)
      isPipeWireTold = false
    }
    if case .waiting = event { lookForPipeWire() }
    phase = .closed(told: event)
    return Self.waitingMilliseconds
  }

  private func openClient(_ name: String) -> Int32 {
    let turn = OpeningTurn()
    defer { extendLifetime(turn) }
    return engine.open(server: configuration.serverName, client: name)
  }

  /// Plays as a client of our own where jackd has a plugin that we cannot work with, as after an upgrade;
  /// false: that cannot be, either.
  private mutating func openBesidePlugin(_ code: Int32) -> Bool {
    guard code == -EPROTONOSUPPORT, let path = configuration.pluginPath else { return false }
    let name = Self.nameBesidePlugin(configuration.clientName)
    guard openClient(name) == 0 else { return false }
    client = name
    hasMisfitGone = false
    report(.besidePlugin(server: configuration.serverName, client: name, path: path))
    return true
  }

  /// The plugin has the name that we would have.
  static func nameBesidePlugin(_ name: String) -> String { Self.name(name, endingIn: "-client") }

  private static func name(_ name: String, endingIn suffix: String) -> String {
    var stem = name
    // JACK's limit.
    while stem.utf8.count + suffix.utf8.count > 63 { stem.removeLast() }
    return stem + suffix
  }

  private mutating func begin() {
    phase = .starting(callbacks: engine.periodTime()?.count ?? 0)
    freewheelNanoseconds = nil
    desertion.restart()
    seen.graphChanges = nil
    cards.open()
    askForAllPorts()
    // What the plugin's ports have from another daemon's time is the user's graph.
    guard configuration.pluginPath != nil, client == configuration.clientName, engine.isResumed,
      let connections = engine.connections(), !connections.isEmpty
    else { return }
    if memory.connections.isEmpty, cards.cutSides.isEmpty { cards.keepUnconnected(connections) }
    memory.resume()
  }

  /// Whether the plugin that did not suit has been taken out of jackd and put in again.
  private mutating func isPluginNew() -> Bool {
    guard client != configuration.clientName else { return false }
    let isThere = engine.hasPort("\(configuration.clientName):mic")
    defer { if !isThere { hasMisfitGone = true } }
    return isThere && hasMisfitGone
  }

  private mutating func loseServer() -> Int {
    // First: to close may take seconds where the server is not gone but let go of us.
    report(.serverGone(server: configuration.serverName))
    leave()
    return 0
  }

  private mutating func leave() {
    engine.close()
    memory.loseServer()
    midi.tellIfNew([], client: configuration.clientName)
    phase = .closed(told: nil)
  }

  // MARK: Watching

  private mutating func watchPeriod() {
    guard let period = engine.periodTime() else { return }
    let connection = JackConnection(
      server: configuration.serverName, client: client,
      periodFrames: period.periodFrames, sampleRate: period.sampleRate,
      realtimePriority: engine.realtimePriority(), implementation: .ofThisProcess)
    switch phase {
    case .starting(let callbacks) where period.count != callbacks:
      phase = .running(connection)
      report(.running(connection))
    case .running(let known) where !known.hasFigures(of: connection):
      phase = .running(connection)
      report(.periodChanged(connection))
    case .closed, .starting, .running:
      break
    }
  }

  private mutating func watchFreewheel() {
    let (server, now) = (configuration.serverName, monotonicNanoseconds())
    switch (freewheelNanoseconds, engine.isFreewheeling) {
    case (nil, true):
      freewheelNanoseconds = now
      report(.freewheels(server: server))
    case (let since?, false):
      freewheelNanoseconds = nil
      report(.freewheelEnded(server: server, seconds: Int((now - since) / 1_000_000_000)))
    case (nil, false), (_?, true): break
    }
  }

  /// Whether the server runs without us, and was left to be opened anew; asks it where that is suspected.
  private mutating func isDeserted() -> Bool {
    // The plugin's end is its socket's.
    guard configuration.pluginPath == nil else { return false }
    let periods = engine.periodTime()?.count ?? 0
    let isSuspected = desertion.isSuspected(
      periods: periods, isFreewheeling: engine.isFreewheeling,
      nowNanoseconds: monotonicNanoseconds())
    guard isSuspected else { return false }
    let seconds = Int(desertion.silentNanoseconds / 1_000_000_000)
    desertion.restart()
    let turn = OpeningTurn()
    let isThere = AudioEngine.finds(
      server: configuration.serverName, client: Self.name(client, endingIn: "-look"))
    extendLifetime(turn)
    guard isThere, engine.periodTime()?.count ?? 0 == periods else { return false }
    report(.deserted(server: configuration.serverName, seconds: seconds))
    leave()
    return true
  }

  mutating func watchGraph() {
    let changes = engine.graphChanges
    guard changes != seen.graphChanges || memory.needsAnotherLook || cards.needsAnotherLook else {
      return
    }
    // A dying server takes the ports away first; that must not look like the user's doing.
    guard var current = connections(), engine.state == .running else { return }
    // The count from before the reading: a change in between is seen in the next round.
    seen.graphChanges = changes
    let missing = memory.observe(
      current, nowNanoseconds: monotonicNanoseconds(),
      hasPort: {
        engine.hasPort(PortConnection.renamed($0, from: configuration.clientName, to: client))
      })
    let restored = missing.filter { connect($0) }
    current.formUnion(restored)
    connectCards(current)
    tellMemoryIfNew()
    midi.tellIfNew(current, client: configuration.clientName)
    if !restored.isEmpty { report(.connectionsRestored(count: restored.count)) }
    if isPluginNew() { leave() }
  }

  /// Connects a card that has come.
  private mutating func connectCards(_ current: Set<PortConnection>) {
    guard configuration.connectsPhysicalPorts else { return }
    let engine = engine
    let ports = { (side: CardPorts.Side) in engine.physicalPorts(capturing: side == .capture) }
    for connection in memory.cut { cards.cut(connection, ports: ports) }
    // What is missing may yet turn out to be cut.
    guard !memory.needsAnotherLook else { return }
    let (made, forgotten) = cards.look(current, remembered: memory.connections, ports: ports)
    for connection in forgotten { memory.forget(connection) }
    for connection in made { _ = connect(connection) }
  }

  /// Every connection of our ports, by the client's name as configured; nil when they are too many to tell.
  private func connections() -> Set<PortConnection>? {
    guard let connections = engine.connections() else { return nil }
    guard client != configuration.clientName else { return connections }
    return Set(connections.map { $0.renamed(from: client, to: configuration.clientName) })
  }

  private func connect(_ connection: PortConnection) -> Bool {
    engine.connect(connection.renamed(from: configuration.clientName, to: client)) == 0
  }

  private mutating func tellMemoryIfNew() {
    let now = PortMemory(memory, cards, client: configuration.clientName)
    guard now != toldMemory else { return }
    toldMemory = now
    tellMemory(now)
  }
}
