import Glibc
import StatusSchema
import StatusSchema
import Testing

@testable import ControlSocket
@testable import Remote

@Suite(.ownThread) struct ControlServerTests {
  let directory = TemporaryDirectory()
  var path: String { directory.file("run/control.sock") }

  @Test func `every request gets its answer in order on one connection`() throws {
    let handler = RecordingHandler()
    let server = try ControlServer(path: path, handler: handler)
    defer { server.stop() }
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.version) == .version("1.2.3", schema: 1))
    #expect(try client.request(.talk(isOn: true)) == .ok)
    #expect(try client.request(.gain(peer: "X", decibels: 1)) == .error(message: "no peer X"))
    #expect(try client.request(.pan(peer: "B", position: -0.25)) == .ok)
    #expect(
      handler.requests == [
        .version, .talk(isOn: true), .gain(peer: "X", decibels: 1),
        .pan(peer: "B", position: -0.25),
      ])
  }

  @Test func `the status carries the counters of the socket`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    var client = try ControlClient(path: path, timeout: .seconds(60))
    _ = try client.request(.talk(isOn: false))
    guard case .status(let status) = try client.request(.status) else {
      Issue.record("no status")
      return
    }
    #expect(status.control?.clients == 1)
    #expect(status.control?.requests == 2)
    #expect(status.node == GoldenStatus.value.node)
  }

  @Test func `requests sent in one piece are answered one by one`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let client = try RawClient(path)
    client.send(#"{"request":"version"}"# + "\n" + #"{"request":"talk","on":true}"# + "\r\n")
    client.send(#"{"request":"version"}"#)
    client.finish()
    #expect(client.line() == #"{"ok":true,"schema":1,"version":"1.2.3"}"#)
    #expect(client.line() == #"{"ok":true}"#)
    #expect(client.line() == #"{"ok":true,"schema":1,"version":"1.2.3"}"#)
    #expect(client.line() == nil)
  }

  @Test func `a request sent byte by byte is a request`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let client = try RawClient(path)
    for byte in Array((#"{"request":"version"}"# + "\n").utf8) { client.send([byte]) }
    #expect(client.line() == #"{"ok":true,"schema":1,"version":"1.2.3"}"#)
  }

  @Test func `the socket is gone after stop, and stop can be called twice`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    let client = try RawClient(path)
    server.stop()
    server.stop()
    #expect(FileFacts(path) == nil)
    #expect(client.line() == nil)
    let path = path
    #expect(throws: RemoteError.noServer(path: path)) { _ = try ControlClient(path: path) }
  }

  @Test func `a server that is let go of stops`() throws {
    _ = try ControlServer(path: path, handler: RecordingHandler())
    #expect(FileFacts(path) == nil)
  }

  @Test func `stopping does not remove the socket of a successor`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    unsafe unlink(path)
    let successor = try ControlServer(path: path, handler: RecordingHandler())
    defer { successor.stop() }
    server.stop()
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.talk(isOn: true)) == .ok)
  }

  @Test func `many starts and stops leave no descriptor open`() throws {
    try ControlServer(path: path, handler: RecordingHandler()).stop()
    let before = Self.openDescriptors
    for _ in 0..<400 {
      let server = try ControlServer(path: path, handler: RecordingHandler())
      var client = try ControlClient(path: path, timeout: .seconds(60))
      _ = try client.request(.version)
      server.stop()
    }
    // Other tests run meanwhile and have up to some two hundred of their own.
    #expect(Self.openDescriptors < before + 300)
  }

  private static var openDescriptors: Int {
    (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 }
  }
}
