import Audio
import Glibc
import Testing
import TestJack

@testable import JackSession

/// Servers that stand still, and the end of a session.
extension JackSessionTests {
  @Test
  func `a server that stands still is told once, and once when it runs again`() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let look = LookingThread(station.session.makeLook())
    defer { look.stop() }
    server.send(signal: SIGSTOP)
    #expect(await eventually { station.session.problem?.contains("has stalled") == true })
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

  @Test
  func `stopping is clean: the client is gone, the event is told, and nothing starts again`()
    async throws
  {
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

  @Test
  func `a session that waits, or never started, stops at once`() throws {
    let station = try Station(server: TestServer.unusedName())
    #expect(station.session.stop())
    let engine = try AudioEngine(wakeDescriptor: -1)
    let session = try JackSession(
      engine: engine, configuration: JackSessionConfiguration(serverName: "none")
    ) { _ in }
    #expect(session.stop())
  }

  @Test
  func `a server that hangs cannot hold up the stop, and is left when it goes on`() async throws {
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
