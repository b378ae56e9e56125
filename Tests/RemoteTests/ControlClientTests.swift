import Glibc
import Testing

@testable import ControlSocket
@testable import Remote

@Suite(.ownThread) struct ControlClientTests {
  let directory = TemporaryDirectory()
  var path: String { directory.file("control.sock") }

  @Test func `where nobody answers the error says what to do`() throws {
    let path = path
    let error = #expect(throws: RemoteError.self) { _ = try ControlClient(path: path) }
    #expect(error == .noServer(path: path))
    let words = "\(try #require(error))"
    #expect(words.hasPrefix("no comlinkd answers at \(path); is it running?"))
  }

  @Test func `a daemon that takes too long is not waited for`() async throws {
    let gate = Gate()
    let server = try ControlServer(path: path, handler: gate)
    defer {
      gate.open()
      server.stop()
    }
    var client = try ControlClient(path: path, timeout: .milliseconds(50))
    do {
      _ = try client.request(.status)
      Issue.record("answered")
    } catch {
      #expect(error == .timedOut(path: path, seconds: 0.05))
    }
  }

  @Test func `a daemon that goes away is told apart from one that is not there`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    var client = try ControlClient(path: path, timeout: .seconds(60))
    _ = try client.request(.version)
    server.stop()
    do {
      _ = try client.request(.status)
      Issue.record("answered")
    } catch {
      #expect(error == .disconnected(path: path))
    }
  }

  @Test func `a refusal for want of room reaches the client in words`() throws {
    var limits = ControlLimits()
    limits.clients = 0
    let server = try ControlServer(path: path, handler: RecordingHandler(), limits: limits)
    defer { server.stop() }
    for _ in 0..<100 {
      var client = try ControlClient(path: path, timeout: .seconds(60))
      #expect(
        try client.request(.status)
          == .error(message: "comlinkd already serves 0 clients; try again"))
    }
  }
}
