import Glibc
import TestJack
import Testing

@testable import Audio

/// Against real servers.
///
/// One test at a time: libjack serves one server per process.
@Suite(.serialized, .libjackTurn, .timeLimit(.minutes(5)))
struct JackSessionTests {
  /// An engine and its session, ended with the test.
  private final class Station {
    /// What the plugin is handed to wake us.
    private let bell: Bell
    let engine: AudioEngine
    let session: JackSession
    let log = EventLog<JackSessionEvent>()
    let memories = EventLog<PortMemory>()

    init(
      server: String, client: String = "comlink", connects: Bool = true, plugin: String? = nil,
      memory: PortMemory = PortMemory()
    ) throws {
      bell = try Bell()
      engine = try AudioEngine(wakeDescriptor: bell.descriptor, isForPlugin: plugin != nil)
      var configuration = JackSessionConfiguration(
        serverName: server, clientName: client, connectsPhysicalPorts: connects, pluginPath: plugin)
      configuration.memory = memory
      session = try JackSession(
        engine: engine, configuration: configuration,
        onMemory: { [memories] in memories.append($0) }, onEvent: { [log] in log.append($0) })
      try session.start()
    }

    deinit {
      session.stop()
    }

    var connection: JackConnection? {
      guard case .running(let connection) = session.state else { return nil }
      return connection
    }

    func runs() async -> Bool {
      await eventually { connection != nil }
    }

    /// How often JACK refused a port.
    var refusalCount: Int {
      log.events.count { if case .peerPortRefused = $0 { true } else { false } }
    }

    /// How often it came to run.
    var runCount: Int {
      log.events.count { if case .running = $0 { true } else { false } }
    }
  }

  @Test("A session opens, has its ports, is connected to the card, and the audio runs")
  func opening() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.connection?.server == server.name)
    #expect(station.connection?.client == "comlink")
    #expect(station.connection?.periodFrames == 256)
    #expect(station.connection?.sampleRate == 48_000)
    #expect(
      await eventually {
        server.isConnected("system:capture_1", "comlink:mic")
          && server.isConnected("comlink:mix_left", "system:playback_1")
          && server.isConnected("comlink:mix_right", "system:playback_2")
      })
    let before = try #require(station.engine.periodTime())
    #expect(await eventually { (station.engine.periodTime()?.count ?? 0) > before.count + 10 })
    #expect(station.engine.captureAvailableFrames > 0)
  }

  @Test("A session becomes a client in its turn")
  func turn() async throws {
    let server = try await TestServer.start()
    let other = unsafe open(OpeningTurn.standardPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(other) }
    try #require(await eventually { flock(other, LOCK_EX | LOCK_NB) == 0 })
    let station = try Station(server: server.name)
    // It waits for two seconds at most; a tenth of that with a client would be out of turn.
    try await Task.sleep(for: .milliseconds(200))
    #expect(station.connection == nil)
    #expect(server.ports().keys.allSatisfy { !$0.hasPrefix("comlink:") })
    flock(other, LOCK_UN)
    #expect(await station.runs())
  }

  @Test("Without auto-connect no port is connected")
  func unconnected() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name, connects: false)
    #expect(await station.runs())
    let ports = server.ports()
    #expect(ports["comlink:mic"] == [])
    #expect(ports["comlink:mix_left"] == [])
    #expect(ports["comlink:mix_right"] == [])
  }

  @Test("Without a server the session says once that it waits, and runs when one comes")
  func waiting() async throws {
    let name = TestServer.unusedName()
    let station = try Station(server: name)
    #expect(await eventually { station.session.state == .waiting(server: name) })
    // A few more attempts, all of them quiet.
    try await Task.sleep(for: .milliseconds(1600))
    #expect(station.log.events == [.waiting(server: name)])
    let server = try await TestServer.start(name: name)
    #expect(await station.runs())
    #expect(server.ports()["comlink:mic"] != nil)
  }

  @Test("A server of another rate and period is told as it is")
  func otherRate() async throws {
    let server = try await TestServer.start(sampleRate: 44_100, periodFrames: 512)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.connection?.sampleRate == 44_100)
    #expect(station.connection?.periodFrames == 512)
  }

  @Test("A server of a rate that nothing can be converted from is refused with words")
  func impossibleRate() async throws {
    let server = try await TestServer.start(sampleRate: 4000)
    let station = try Station(server: server.name)
    #expect(
      await eventually {
        guard case .refused(server.name, let reason) = station.session.state else { return false }
        return reason.contains("beyond 8000…192000 Hz") && reason.contains("-r 48000")
      })
    #expect(station.engine.periodTime() == nil)
    #expect(server.ports()["comlink:mic"] == nil)
  }

  @Test("A changed period is told")
  func periodChange() async throws {
    let server = try await TestServer.start(periodFrames: 256)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    try server.setPeriod(frames: 128)
    #expect(
      await eventually {
        station.log.contains {
          if case .periodChanged(let changed) = $0 { changed.periodFrames == 128 } else { false }
        }
      })
    #expect(station.connection?.periodFrames == 128)
    #expect(station.runCount == 1)
  }

  @Test(
    "When the server dies, the session says so, waits, and runs again with all connections",
    arguments: [SIGKILL, SIGTERM])
  func serverDeath(signal: Int32) async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.session.setPeerPort(PeerSlot.all[0], peerName: "anna"))
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    try server.connect("comlink:peer_anna", "system:playback_2")
    try server.disconnect("comlink:mix_right", "system:playback_2")
    try server.connect("system:capture_2", "comlink:mic")
    let kept: Set = [
      PortConnection(source: "comlink:peer_anna", destination: "system:playback_2"),
      PortConnection(source: "comlink:mix_left", destination: "system:playback_1"),
      PortConnection(source: "system:capture_1", destination: "comlink:mic"),
      PortConnection(source: "system:capture_2", destination: "comlink:mic"),
    ]
    #expect(await eventually { station.session.rememberedConnections == kept })

    server.end(signal: signal)
    #expect(await eventually { station.log.events.contains(.serverGone(server: server.name)) })
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })

    let next = try await TestServer.start(name: server.name)
    #expect(await eventually { station.runCount == 2 })
    #expect(
      await eventually { kept.allSatisfy { next.isConnected($0.source, $0.destination) } })
    #expect(!next.isConnected("comlink:mix_right", "system:playback_2"))
    #expect(
      station.log.contains {
        if case .connectionsRestored(let count) = $0 { count == 4 } else { false }
      })
  }

  @Test("A peer's port comes, is renamed, goes, and finds its connections again")
  func peerPorts() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(station.session.setPeerPort(PeerSlot.all[7], peerName: "anna"))
    #expect(await station.runs())
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })

    try server.connect("comlink:peer_anna", "system:playback_1")
    #expect(await eventually { server.isConnected("comlink:peer_anna", "system:playback_1") })
    #expect(station.session.clearPeerPort(PeerSlot.all[7]))
    #expect(await eventually { server.ports()["comlink:peer_anna"] == nil })
    // In one go: the old holder of the name leaves before the next one takes it.
    #expect(station.session.setPeerPort(PeerSlot.all[3], peerName: "ben"))
    #expect(station.session.setPeerPort(PeerSlot.all[3], peerName: "carl"))
    #expect(station.session.clearPeerPort(PeerSlot.all[3]))
    #expect(station.session.setPeerPort(PeerSlot.all[4], peerName: "anna"))
    #expect(await eventually { server.isConnected("comlink:peer_anna", "system:playback_1") })
    #expect(server.ports()["comlink:peer_ben"] == nil)
    #expect(server.ports()["comlink:peer_carl"] == nil)
    #expect(!station.log.contains { if case .peerPortRefused = $0 { true } else { false } })
  }

  @Test("Two peers of one name cannot both have the port: the second is refused with words")
  func equalNames() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    station.session.setPeerPort(PeerSlot.all[0], peerName: "pi")
    station.session.setPeerPort(PeerSlot.all[1], peerName: "pi")
    #expect(
      await eventually {
        station.log.contains {
          guard case .peerPortRefused(PeerSlot.all[1], "peer_pi", _) = $0 else { return false }
          return $0.description.contains("peer_pi")
        }
      })
  }

  @Test(
    "A port that JACK refused is there as soon as a server has room for it, and told as lacking until then"
  )
  func refusedPort() async throws {
    // Its own four, and our three.
    let server = try await TestServer.start(portLimit: 8)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let slot = PeerSlot.all[2]
    #expect(station.session.setPeerPort(slot, peerName: "anna"))
    #expect(await eventually { station.refusalCount == 1 && station.session.refusesPort(of: slot) })
    #expect(station.connection != nil)
    server.end(signal: SIGTERM)
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })
    let next = try await TestServer.start(name: server.name)
    #expect(await eventually { station.runCount == 2 })
    #expect(await eventually { next.ports()["comlink:peer_anna"] != nil })
    #expect(await eventually { !station.session.refusesPort(of: slot) })
    #expect(station.refusalCount == 1)
  }

  @Test("A port that JACK refused is there soon after another program's has gone")
  func freedPort() async throws {
    let server = try await TestServer.start(portLimit: 9)
    let other = try Self.otherProgram(on: server)
    #expect(await eventually { server.ports()["metro:120_bpm"] != nil })
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let slot = PeerSlot.all[2]
    #expect(station.session.setPeerPort(slot, peerName: "anna"))
    #expect(await eventually { station.session.refusesPort(of: slot) })
    other.send(signal: SIGTERM)
    other.outputAtEnd()
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    #expect(await eventually { !station.session.refusesPort(of: slot) })
    // A server with less room than before takes it away again, and that is told.
    server.end(signal: SIGTERM)
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })
    let next = try await TestServer.start(name: server.name, portLimit: 8)
    #expect(await eventually { station.runCount == 2 })
    #expect(await eventually { station.session.refusesPort(of: slot) })
    #expect(next.ports()["comlink:mic"] != nil)
  }

  @Test("The client name of another program is refused with words, and taken when it is free")
  func takenName() async throws {
    let server = try await TestServer.start()
    let first = try AudioEngine(wakeDescriptor: -1)
    #expect(await eventually { first.open(server: server.name, client: "comlink") == 0 })
    let station = try Station(server: server.name)
    #expect(
      await eventually {
        station.log.contains {
          guard case .refused(server.name, let reason) = $0 else { return false }
          return reason.contains("'comlink' is in use") && reason.contains("--jack-client")
        }
      })
    #expect(first.state == .running)
    first.close()
    #expect(await station.runs())
    #expect(station.log.events.count == 2)
  }

  @Test("Another program's port that goes away is connected again when it is back")
  func programRestart() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let meter = try Self.otherProgram(on: server)
    #expect(await eventually { server.ports()["metro:120_bpm"] != nil })
    try server.connect("metro:120_bpm", "comlink:mic")
    let tick = PortConnection(source: "metro:120_bpm", destination: "comlink:mic")
    #expect(await eventually { station.session.rememberedConnections.contains(tick) })
    meter.send(signal: SIGTERM)
    #expect(await eventually { server.ports()["metro:120_bpm"] == nil })
    let again = try Self.otherProgram(on: server)
    #expect(await eventually { server.isConnected("metro:120_bpm", "comlink:mic") })
    again.send(signal: SIGTERM)
    again.outputAtEnd()
  }

  @Test("The next session is handed what this one remembers: what was cut stays cut")
  func nextSession() async throws {
    let server = try await TestServer.start()
    let first = try Station(server: server.name)
    #expect(await first.runs())
    #expect(await eventually { server.isConnected("comlink:mix_right", "system:playback_2") })
    #expect(first.session.setPeerPort(PeerSlot.all[0], peerName: "anna"))
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    try server.connect("comlink:peer_anna", "system:playback_2")
    try server.disconnect("system:capture_1", "comlink:mic")
    let isRemembered = await eventually {
      first.memories.events.last?.isCaptureCut == true
        && first.memories.events.last?.entries.count == 3
    }
    try #require(isRemembered)
    let memory = try #require(first.memories.events.last)
    #expect(
      memory.entries.contains(
        .init(source: ":peer_anna", destination: "system:playback_2", isAutomatic: false)))
    #expect(first.session.stop())
    // Under another name, too: what is kept is ours, not the client's.
    let second = try Station(server: server.name, client: "foh", memory: memory)
    #expect(await second.runs())
    #expect(second.session.setPeerPort(PeerSlot.all[5], peerName: "anna"))
    #expect(await eventually { server.isConnected("foh:peer_anna", "system:playback_2") })
    #expect(await eventually { server.isConnected("foh:mix_left", "system:playback_1") })
    #expect(server.ports()["foh:mic"] == [])
  }

  @Test(
    "Beside a plugin of another layout a client of our own plays, with the connections as kept")
  func misfitPlugin() async throws {
    let misfit = try TestPlugin(hasOtherLayout: true)
    let server = try await TestServer.start(plugin: misfit)
    let memory = PortMemory(entries: [
      .init(source: ":mix_left", destination: "system:playback_2", isAutomatic: false)
    ])
    let station = try Station(server: server.name, plugin: misfit.socketPath, memory: memory)
    #expect(await station.runs())
    #expect(station.connection?.client == "comlink-client")
    #expect(
      await eventually { server.isConnected("comlink-client:mix_left", "system:playback_2") })
    #expect(station.session.problem?.contains("restart jackd") == true)
    let before = try #require(station.engine.periodTime()).count
    #expect(await eventually { (station.engine.periodTime()?.count ?? 0) > before + 20 })
  }

  @Test("A server that stands still is told once, and once when it runs again")
  func standstill() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let look = LookingThread(station.session.makeLook())
    defer { look.stop() }
    server.send(signal: SIGSTOP)
    #expect(await eventually { station.session.problem?.contains("stands still") == true })
    server.send(signal: SIGCONT)
    #expect(await eventually { station.session.problem == nil })
    // The server drops a client that did not answer in time, and takes it back: that is told, too.
    let told = station.log.events.filter {
      switch $0 {
      case .standsStill, .answers: true
      default: false
      }
    }
    #expect(told.count == 2, "\(station.log.events)")
    #expect(station.connection != nil)
  }

  private static func otherProgram(on server: TestServer) throws -> TestProcess {
    try TestProcess(
      "jack_metro", ["--bpm", "120"], environment: ["JACK_DEFAULT_SERVER=\(server.name)"])
  }

  @Test("Stopping is clean: the client is gone, the event is told, and nothing starts again")
  func stopping() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.session.stop())
    #expect(station.session.state == .stopped)
    #expect(station.log.events.last == .stopped)
    #expect(server.ports()["comlink:mic"] == nil)
    #expect(server.ports()["system:capture_1"] != nil)
    try station.session.start()
    #expect(station.session.stop())
    #expect(station.session.state == .stopped)
  }

  @Test("A session that waits, or never started, stops at once")
  func stoppingEarly() throws {
    let station = try Station(server: TestServer.unusedName())
    #expect(station.session.stop())
    let engine = try AudioEngine(wakeDescriptor: -1)
    let session = try JackSession(
      engine: engine, configuration: JackSessionConfiguration(serverName: "none")
    ) { _ in }
    #expect(session.stop())
  }

  @Test("A server that hangs cannot hold up the stop, and is left when it goes on")
  func hungServer() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    server.send(signal: SIGSTOP)
    let clock = ContinuousClock()
    let duration = clock.measure { _ = station.session.stop() }
    // 300 ms and what a busy machine adds; without the limit it would be for ever.
    #expect(duration < .seconds(5))
    server.send(signal: SIGCONT)
    #expect(await eventually { station.log.events.last == .stopped })
  }
}
