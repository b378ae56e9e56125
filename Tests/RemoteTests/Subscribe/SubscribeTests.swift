import Glibc
import StatusSchema
import Synchronization
import System
import Testing

@testable import ControlSocket
@testable import Remote

/// `subscribe` on the control socket, as a page, a key's lamp or `comlink status --watch` uses it.
@Suite(.ownThread, .timeLimit(.minutes(2))) struct SubscribeTests {
  let directory = TemporaryDirectory()
  let node = ShownNode()
  var path: String { directory.file("control.sock") }

  private func server(
    _ change: (inout ControlLimits) -> Void = { _ in }
  ) throws -> ControlServer {
    var limits = ControlLimits()
    change(&limits)
    return try ControlServer(path: path, handler: node, limits: limits)
  }

  /// Waits for what happens on other threads.
  private func wait(until condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `a subscriber gets the whole node, then what changes and nothing else`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1, micDBFS: -20, peers: 2)
    let viewer = try Viewer(path)
    #expect(viewer.answer == #"{"ok":true}"#)
    try viewer.next()
    #expect(viewer.document["peers"]?["1"]?["name"] == .text("B"))
    #expect(viewer.document["control"]?["subscribers"] == .integer(1))
    node.show(micDBFS: -10)
    #expect(
      try viewer.next() == .object(["node": .object(["micLevelDBFS": .integer(-10)])]))
    node.show(uptime: 2, micDBFS: -10, peers: 1)
    let patch = try viewer.next()
    #expect(patch?["peers"] == .object(["1": .null]))
    #expect(patch?["node"] == .object(["uptimeSeconds": .integer(2)]))
  }

  @Test func `levels come to those who asked for them only`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1, micDBFS: -20)
    let (live, calm) = (try Viewer(path), try Viewer(path, levels: false))
    try live.next()
    try calm.next()
    for level in 1...5 {
      node.show(micDBFS: Double(-level))
      #expect(try live.next()?["node"]?["micLevelDBFS"] == .integer(Int64(-level)))
    }
    node.show(uptime: 2, micDBFS: -5)
    #expect(try calm.next()?["node"]?["micLevelDBFS"] == .integer(-5))
    #expect(calm.lines == 2)
    #expect(live.lines >= 6)
  }

  @Test func `levels are looked at where they are shown, for as long as somebody subscribes`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let looks = Mutex(0)
    node.show {
      looks.withLock { looks in
        looks += 1
        return -Double(looks)
      }
    }
    do {
      let viewer = try Viewer(path)
      try viewer.next()
      // Of a viewer that is held up some are passed by.
      var last: Int64 = 1
      for _ in 1...5 {
        guard case .integer(let level)? = try viewer.next()?["node"]?["micLevelDBFS"] else {
          Issue.record("no level")
          break
        }
        #expect(level < last)
        last = level
      }
    }
    try await wait { node.followers == 0 }
    let seen = looks.withLock { $0 }
    try await Task.sleep(for: .milliseconds(150))
    #expect(looks.withLock { $0 } == seen)
  }

  @Test func `a slow reader gets the newest state, and no backlog`() async throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    let (slow, quick) = (try Viewer(path), try Viewer(path))
    for uptime in 2...500 {
      node.show(uptime: Double(uptime), micDBFS: Double(uptime))
      try quick.read(untilUptime: Double(uptime))
    }
    // One line was in the kernel when it stopped reading; the next is sent for a picture after it has read that.
    try slow.next()
    #expect(try #require(slow.uptime) <= 10)
    node.show(uptime: 501)
    try quick.read(untilUptime: 501)
    try slow.next()
    #expect(try #require(slow.uptime) >= 500)
    try slow.read(untilUptime: 501)
    #expect(slow.lines <= 3)
    #expect(slow.document["node"] == quick.document["node"])
  }

  @Test func `requests of a subscriber are answered between the changes`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    let viewer = try Viewer(path)
    try viewer.next()
    for uptime in 2...50 {
      viewer.client.send(#"{"request":"talk","on":true}"# + "\n")
      node.show(uptime: Double(uptime))
      var isAnswered = false
      while !isAnswered || viewer.uptime != Double(uptime) {
        let line = try #require(try viewer.next())
        if line["ok"] != nil {
          #expect(line == .object(["ok": .bool(true)]))
          isAnswered = true
        }
      }
    }
  }

  @Test func `whoever subscribes again says whether levels come from now on`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1, micDBFS: -20)
    let viewer = try Viewer(path, levels: false)
    try viewer.next()
    viewer.client.send(#"{"request":"subscribe","levels":true}"# + "\n")
    #expect(try viewer.next() == .object(["ok": .bool(true)]))
    try viewer.next()
    node.show(micDBFS: -7)
    #expect(try viewer.next() == .object(["node": .object(["micLevelDBFS": .integer(-7)])]))
    #expect(server.counters.subscribers == 1)
  }

  @Test func `32 subscribe at once, and the 33rd is told why not and stays a client`() async throws
  {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    var viewers = try (0..<32).map { _ in try Viewer(path) }
    for viewer in viewers {
      #expect(viewer.answer == #"{"ok":true}"#)
      try viewer.next()
    }
    #expect(server.counters.subscribers == 32)
    let late = try Viewer(path)
    #expect(
      late.answer
        == #"{"error":"comlinkd already has 32 subscribers; end one of them","ok":false}"#)
    late.client.send(#"{"request":"talk","on":true}"# + "\n")
    #expect(late.client.line() == #"{"ok":true}"#)
    // Those who subscribed take no place of those who ask.
    let clients = try (0..<15).map { _ in try RawClient(path) }
    for client in clients {
      client.send(#"{"request":"talk","on":true}"# + "\n")
      #expect(client.line() == #"{"ok":true}"#)
    }
    node.show(uptime: 2)
    for viewer in viewers { try viewer.read(untilUptime: 2) }
    viewers.removeLast()
    var uptime = 2.0
    while server.counters.subscribers != 31 {
      uptime += 1
      node.show(uptime: uptime)
      try await Task.sleep(for: .milliseconds(1))
    }
    late.client.send(#"{"request":"subscribe"}"# + "\n")
    #expect(late.client.line() == #"{"ok":true}"#)
  }

  @Test
  func `subscribers that leave in the middle of a line are gone, and the others notice nothing`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1, peers: 64)
    let stays = try Viewer(path)
    try stays.next()
    for round in 1...20 {
      do {
        // Half of a request is under way to the server, and a line of some 70 000 bytes to the subscriber.
        let leaves = try Viewer(path)
        leaves.client.send(#"{"request":"ta"#)
        var bytes = [UInt8](repeating: 0, count: 100)
        _ = unsafe recv(leaves.client.descriptor.number, &bytes, bytes.count, 0)
      }
      node.show(uptime: 1 + Double(round), peers: 64 - round)
      try stays.read(untilUptime: 1 + Double(round))
    }
    var uptime = 100.0
    while server.counters.subscribers != 1 {
      uptime += 1
      node.show(uptime: uptime)
      try stays.read(untilUptime: uptime)
    }
    #expect(node.followers == 1)
  }

  @Test func `garbage of a subscriber is answered, and its changes go on`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    let viewer = try Viewer(path)
    try viewer.next()
    let garbage = [
      "\n", "GET / HTTP/1.1\n", "{}\n", #"{"request":"subscribe","levels":"all"}"# + "\n",
      #"{"request":"subscribe","levels":null,"x":[[[[]]]]}"# + "\n",
    ]
    for (index, line) in garbage.enumerated() {
      viewer.client.send(line)
      node.show(uptime: Double(2 + index))
      var (hasAnswer, answer): (Bool, JSONTree?) = (false, nil)
      while !hasAnswer || viewer.uptime != Double(2 + index) {
        let next = try #require(try viewer.next())
        if next["ok"] != nil { (hasAnswer, answer) = (true, next) }
      }
      #expect(answer?["ok"] == .bool(index == 4))
    }
    viewer.client.send([UInt8](repeating: UInt8(ascii: "x"), count: 70_000))
    while let line = try viewer.next() {
      guard let error = line["error"] else { continue }
      #expect(error == .text("line longer than 65536 bytes"))
      viewer.client.finish()
    }
    #expect(server.counters.oversized == 1)
    #expect(server.counters.subscribers == 0)
  }

  @Test func `who says no more is shown on`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    let client = try RawClient(path)
    client.send(#"{"request":"subscribe"}"#)
    client.finish()
    #expect(client.line() == #"{"ok":true}"#)
    #expect(client.line()?.contains(#""uptimeSeconds":1"#) == true)
    node.show(uptime: 2)
    #expect(client.line()?.contains(#""uptimeSeconds":2"#) == true)
  }

  @Test func `a subscriber that never reads is dropped in the end, and one that reads is not`()
    async throws
  {
    let server = try server { $0.idleTimeout = .milliseconds(400) }
    defer { server.stop() }
    node.show(uptime: 1)
    let (deaf, quick) = (try Viewer(path), try Viewer(path))
    var uptime = 1.0
    while server.counters.timedOut == 0 {
      uptime += 1
      node.show(uptime: uptime)
      try quick.read(untilUptime: uptime)
      try await Task.sleep(for: .milliseconds(5))
    }
    while try deaf.next() != nil {}
    #expect(deaf.lines <= 2)
    node.show(uptime: uptime + 1)
    try quick.read(untilUptime: uptime + 1)
    #expect(quick.uptime == uptime + 1)
  }

  @Test
  func `where there is no node nobody subscribes, and when it ends the subscribers are let go`()
    throws
  {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    let viewer = try Viewer(path)
    try viewer.next()
    node.end()
    #expect(try viewer.next() == nil)
    let late = try Viewer(path)
    #expect(
      late.answer == #"{"error":"the node is starting or exiting; try again","ok":false}"#)
  }

  @Test func `nobody looks at the node while nobody subscribes`() async throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1)
    #expect(node.followers == 0)
    do {
      let viewers = try (0..<3).map { _ in try Viewer(path) }
      for viewer in viewers { try viewer.next() }
      #expect(node.followers == 1)
      withExtendedLifetime(viewers) {}
    }
    var uptime = 1.0
    while node.followers > 0 {
      uptime += 1
      node.show(uptime: uptime)
      try await Task.sleep(for: .milliseconds(1))
    }
    let viewer = try Viewer(path)
    try viewer.next()
    #expect(viewer.uptime == uptime)
    #expect(node.followers == 1)
  }

  @Test func `the remote holds the status as the daemon tells it`() throws {
    let server = try server()
    defer { server.stop() }
    node.show(uptime: 1, micDBFS: -20, peers: 12)
    var subscription = try StatusSubscription(
      try ControlClient(path: path, timeout: .seconds(60)), levels: true)
    var expected = GoldenStatus.value
    let first = try subscription.status(after: .zero)
    #expect(first.peers.map(\.id) == (0..<12).map { "\($0)" })
    expected.peers = first.peers
    expected.node.uptimeSeconds = 1
    expected.node.micLevelDBFS = -20
    expected.control = first.control
    #expect(first == expected)
    node.show(micDBFS: -6)
    while try subscription.status(after: .seconds(1)).node.micLevelDBFS != -6 {}
    server.stop()
    let path = path
    #expect(throws: RemoteError.disconnected(path: path)) {
      while true { _ = try subscription.status(after: .seconds(1)) }
    }
  }

  @Test func `the remote is told in words where there are too many`() throws {
    let server = try server { $0.subscribers = 0 }
    defer { server.stop() }
    let path = path
    #expect(throws: RemoteError.refused("comlinkd already has 0 subscribers; end one of them")) {
      _ = try StatusSubscription(try ControlClient(path: path), levels: false)
    }
  }
}
