import StatusSchema
import Synchronization
import Testing

@testable import Panel

@Suite(.timeLimit(.minutes(1))) struct PanelTests {
  private static let get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

  private func withPanel(
    limits: PanelLimits = PanelLimits(),
    status: @escaping @Sendable () async -> Status? = { Example.status },
    _ body: (Int) async throws -> Void
  ) async throws {
    let panel = try await Panel(host: "127.0.0.1", port: 0, limits: limits, status: status)
    do {
      try await body(panel.port)
    } catch {
      await panel.stop()
      throw error
    }
    await panel.stop()
  }

  @Test func `GET tells the figures, HEAD how many octets they are`() async throws {
    try await withPanel { port in
      let answer = await Visitor.answer(Self.get, port: port)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      #expect(answer.hasSuffix("\n") && answer.contains("\ncomlink_jack_xruns_total 3\n"))
      let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
      #expect(answer.contains("Content-Length: \(body.utf8.count)\r\n"))
      let head = await Visitor.answer(
        Self.get.replacing("GET", with: "HEAD").replacing("/metrics", with: "/metrics?x=1"),
        port: port)
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
      #expect(head.contains("Content-Length: \(body.utf8.count)\r\n"))
    }
  }

  static let refused: [(String, String)] = [
    ("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "405 Method Not Allowed"),
    ("DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed"),
    ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"),
    ("GET /metrics/../secret HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"),
    ("GET /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "413 Payload Too Large"),
    ("hello\r\n\r\n", "400 Bad Request"),
    (tooLong, "431 Request Header Fields Too Large"),
    (
      "GET /metrics HTTP/1.1\r\n"
        + String(repeating: "X-A: \(String(repeating: "b", count: 90))\r\n", count: 100),
      "431 Request Header Fields Too Large"
    ),
  ]

  @Test(arguments: refused)
  func `what is not asked for well is refused`(request: String, status: String) async throws {
    try await withPanel { port in
      #expect(await Visitor.answer(request, port: port).hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(await Visitor.answer(Self.get, port: port).hasPrefix("HTTP/1.1 200 OK"))
    }
  }

  @Test func `a second request on the connection is not answered`() async throws {
    try await withPanel { port in
      let answer = await Visitor.answer(Self.get + Self.get, port: port)
      #expect(answer.split(separator: "HTTP/1.1 200 OK").count == 1)
    }
  }

  @Test func `a request that trickles in is cut off`() async throws {
    var limits = PanelLimits()
    limits.connectionTime = .milliseconds(300)
    try await withPanel(limits: limits) { port in
      let visitor = try #require(Visitor(port: port))
      visitor.send("GET /metrics HTTP/1.1\r\n")
      #expect(await visitor.rest() == "")
    }
  }

  private static let tooLong = "GET /\(String(repeating: "a", count: 9000))"

  @Test func `who was refused for length and stays keeps no place`() async throws {
    var limits = PanelLimits()
    (limits.connections, limits.connectionTime) = (1, .seconds(300))
    try await withPanel(limits: limits) { port in
      let visitor = try #require(Visitor(port: port))
      visitor.send(Self.tooLong)
      #expect(await visitor.rest().hasPrefix("HTTP/1.1 431 "))
      while await !Visitor.answer(Self.get, port: port).hasPrefix("HTTP/1.1 200") {
        await Task.yield()
      }
    }
  }

  @Test func `who was refused for length and sends on is not read for long`() async throws {
    var limits = PanelLimits()
    (limits.connectionTime, limits.farewellTime) = (.seconds(300), .seconds(300))
    try await withPanel(limits: limits) { port in
      let visitor = try #require(Visitor(port: port))
      while visitor.send(Self.tooLong) { await Task.yield() }
      #expect(await Visitor.answer(Self.get, port: port).hasPrefix("HTTP/1.1 200 OK"))
    }
  }

  @Test func `further connections are closed until a place is free`() async throws {
    var limits = PanelLimits()
    limits.connections = 2
    try await withPanel(limits: limits) { port in
      var idle = (0..<2).compactMap { _ in Visitor(port: port) }
      // The kernel accepts before the panel looks, so the first answer may come from a place that is still free.
      while await Visitor.answer(Self.get, port: port) != "" { await Task.yield() }
      #expect(idle.count == 2)
      idle = []
      while await !Visitor.answer(Self.get, port: port).hasPrefix("HTTP/1.1 200") {
        await Task.yield()
      }
    }
  }

  @Test func `a node that hangs is asked once, and keeps nobody else waiting`() async throws {
    var limits = PanelLimits()
    limits.connectionTime = .milliseconds(200)
    let asked = Mutex(0)
    let (gate, opening) = AsyncStream<Void>.makeStream()
    defer { opening.finish() }
    try await withPanel(limits: limits) {
      asked.withLock { $0 += 1 }
      for await _ in gate {}
      return nil
    } _: { port in
      for _ in 0..<3 { #expect(await Visitor.answer(Self.get, port: port) == "") }
      #expect(await Visitor.answer("GET / HTTP/1.1\r\n\r\n", port: port).hasPrefix("HTTP/1.1 404"))
      #expect(asked.withLock { $0 } == 1)
    }
  }

  @Test func `a node that has no figures is told as such`() async throws {
    try await withPanel(status: { nil }) { port in
      #expect(
        await Visitor.answer(Self.get, port: port).hasPrefix("HTTP/1.1 503 Service Unavailable"))
    }
  }

  @Test func `where it cannot listen it says why`() async throws {
    try await withPanel { port in
      await #expect(throws: PanelError.addressInUse(address: "127.0.0.1:\(port)")) {
        _ = try await Panel(host: "127.0.0.1", port: port) { nil }
      }
    }
    await #expect(throws: PanelError.self) {
      _ = try await Panel(host: "192.0.2.1", port: 0) { nil }
    }
  }
}
