import Glibc
import StatusSchema
import Testing

@testable import ControlSocket
@testable import Remote

/// What clients do wrong, by accident or on purpose; the next client must never notice.
@Suite(.ownThread) struct ControlAbuseTests {
  let directory = TemporaryDirectory()
  var path: String { directory.file("control.sock") }

  private func expectServed() throws {
    var client = try ControlClient(path: path, timeout: .seconds(60))
    #expect(try client.request(.talk(isOn: true)) == .ok)
  }

  @Test func `garbage is answered line by line, counted, and the connection goes on`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let client = try RawClient(path)
    let garbage = ["\n", "GET / HTTP/1.1\n", "{}\n", "\u{0}\u{1}\u{2}\n", "{\"request\":\"x\"}\n"]
    for line in garbage {
      client.send(line)
      #expect(client.line()?.hasPrefix("{\"error\":\"not a request: ") == true)
    }
    client.send([0xFF, 0xFE, 0x80, 0x0A])
    #expect(client.line()?.hasPrefix("{\"error\":\"not a request: ") == true)
    client.send(#"{"request":"talk","on":true}"# + "\n")
    #expect(client.line() == #"{"ok":true}"#)
    #expect(server.counters.malformed == garbage.count + 1)
    #expect(server.counters.requests == 1)
  }

  @Test func `random bytes never end the server`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let client = try RawClient(path)
      client.send((0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) })
      client.finish()
      while client.line() != nil {}
    }
    try expectServed()
  }

  @Test func `a line over the limit is answered and the client dropped`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let client = try RawClient(path)
    client.send([UInt8](repeating: UInt8(ascii: "x"), count: 200_000))
    client.finish()
    #expect(client.line() == #"{"error":"line longer than 65536 bytes","ok":false}"#)
    #expect(client.line() == nil)
    #expect(server.counters.oversized == 1)
    try expectServed()
  }

  @Test func `a line of exactly the limit is still read`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let client = try RawClient(path)
    let request = #"{"request":"talk","on":true}"#
    let blanks = String(repeating: " ", count: 65_536 - request.utf8.count)
    client.send(request + blanks + "\n")
    #expect(client.line() == #"{"ok":true}"#)
    client.send(request + blanks + " \n")
    #expect(client.line() == #"{"error":"line longer than 65536 bytes","ok":false}"#)
  }

  @Test func `of a hundred clients as many as the limit are served and the rest told why not`()
    throws
  {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    let clients = try (0..<100).map { _ in try RawClient(path) }
    var (served, refused) = (0, 0)
    for client in clients {
      client.send(#"{"request":"talk","on":true}"# + "\n")
      switch client.line() {
      case #"{"ok":true}"#: served += 1
      case #"{"error":"comlinkd already serves 16 clients; try again","ok":false}"#: refused += 1
      case let line: Issue.record("\(line ?? "nothing")")
      }
    }
    #expect(served == 16)
    #expect(refused == 84)
    #expect(server.counters.refused == 84)
  }

  @Test func `when clients leave there is room again`() throws {
    let server = try ControlServer(path: path, handler: RecordingHandler())
    defer { server.stop() }
    for _ in 0..<10 {
      for client in try (0..<16).map({ _ in try RawClient(path) }) {
        client.send(#"{"request":"status"}"# + "\n")
        #expect(client.line() != nil)
        client.finish()
        #expect(client.line() == nil)
      }
    }
    #expect(server.counters.refused == 0)
  }

  @Test func `a client that sends its line a byte at a time is dropped in the end`() throws {
    var limits = ControlLimits()
    limits.idleTimeout = .milliseconds(100)
    let server = try ControlServer(path: path, handler: RecordingHandler(), limits: limits)
    defer { server.stop() }
    let client = try RawClient(path)
    var sent = 0
    while sent < 60_000, client.send("x") {
      sent += 1
    }
    #expect(client.line() == nil)
    #expect(server.counters.timedOut == 1)
  }

  @Test func `a client that does not read its answers is dropped and holds up nobody`() throws {
    var limits = ControlLimits()
    limits.idleTimeout = .milliseconds(300)
    let server = try ControlServer(path: path, handler: RecordingHandler(), limits: limits)
    defer { server.stop() }
    let deaf = try RawClient(path)
    // 1000 status answers are far more than the kernel keeps for one that does not read.
    deaf.send(String(repeating: #"{"request":"status"}"# + "\n", count: 1000))
    try expectServed()
    while server.counters.timedOut == 0 { try expectServed() }
    var answers = 0
    while deaf.line() != nil { answers += 1 }
    #expect(answers < 1000)
  }

  @Test func `a client that leaves before its answer does no harm`() async throws {
    let gate = Gate()
    let server = try ControlServer(path: path, handler: gate)
    defer { server.stop() }
    do {
      let client = try RawClient(path)
      client.send(#"{"request":"status"}"# + "\n")
      await gate.arrival()
    }
    let second = try RawClient(path)
    second.send(#"{"request":"status"}"# + "\n")
    gate.open()
    #expect(second.line() == #"{"ok":true}"#)
  }

  @Test func `a test ends with its client, and another request does not`() async throws {
    let patience = Patience()
    let server = try ControlServer(path: path, handler: patience)
    defer { server.stop() }
    do {
      let tester = try RawClient(path)
      let other = try RawClient(path)
      other.send(#"{"request":"status"}"# + "\n")
      #expect(await patience.next() == "began status")
      tester.send(#"{"peer":"B","request":"test-loop"}"# + "\n")
      #expect(await patience.next() == "began testLoop(peer: \"B\")")
    }
    #expect(await patience.next() == "broken off testLoop(peer: \"B\")")
    let third = try RawClient(path)
    third.send(#"{"request":"test-speech"}"# + "\n")
    #expect(await patience.next() == "began testSpeech(peer: nil)")
    patience.end()
    #expect(third.line() == #"{"ok":true}"#)
    #expect(await patience.next() == "done status")
  }

  @Test func `a request that takes long holds up its own client only`() async throws {
    let gate = Gate()
    let server = try ControlServer(path: path, handler: gate)
    defer { server.stop() }
    let slow = try RawClient(path)
    slow.send(#"{"request":"status"}"# + "\n")
    await gate.arrival()
    let other = try RawClient(path)
    other.send("nonsense\n")
    #expect(other.line()?.contains("not a request") == true)
    gate.open()
    #expect(slow.line() == #"{"ok":true}"#)
  }

  @Test func `clients that leave keep their place until the handler is done with them`()
    async throws
  {
    let gate = Gate()
    var limits = ControlLimits()
    limits.clients = 1
    let server = try ControlServer(path: path, handler: gate, limits: limits)
    defer { server.stop() }
    do {
      let client = try RawClient(path)
      client.send(#"{"request":"status"}"# + "\n")
      await gate.arrival()
    }
    let second = try RawClient(path)
    #expect(second.line()?.contains("already serves 1 clients") == true)
    gate.open()
  }
}
