import Audio
import Glibc
import Habits
import Testing
import TestJack

@testable import JackSession

/// Against real servers.
///
/// One test at a time: libjack serves one server per process.
@Suite(.serialized, .libjackTurn, .timeLimit(.minutes(5)))
struct JackSessionTests {
  @Test
  func `a session opens, has its ports, is connected to the card, and the audio runs`() async throws
  {
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

  @Test
  func `a session becomes a client in its turn`() async throws {
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

  @Test
  func `without auto-connect no port is connected`() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name, connects: false)
    #expect(await station.runs())
    let ports = server.ports()
    #expect(ports["comlink:mic"] == [])
    #expect(ports["comlink:mix_left"] == [])
    #expect(ports["comlink:mix_right"] == [])
  }

  @Test
  func `without a server the session says once that it waits, and runs when one comes`()
    async throws
  {
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

  @Test
  func `a server of another rate and period is told as it is`() async throws {
    let server = try await TestServer.start(sampleRate: 44_100, periodFrames: 512)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.connection?.sampleRate == 44_100)
    #expect(station.connection?.periodFrames == 512)
  }

  @Test
  func `a server of a rate that nothing can be converted from is refused with words`() async throws
  {
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

  @Test
  func `a changed period is told`() async throws {
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

  @Test
  func `the client name of another program is refused with words, and taken when it is free`()
    async throws
  {
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

  @Test
  func `beside a plugin of another layout a client of our own plays, with the connections as kept`()
    async throws
  {
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
}
