import Remote
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Three real nodes with party lines and keys, worked over the control socket.
  @Suite struct LineNodesTests {
    private let circle: Circle
    private let nodes: [NodeProcess]

    init() throws {
      circle = try Circle(in: TemporaryDirectory(prefix: "comlink-test"))
      let ports = try LoopbackPorts.free(3)
      let a = try circle.node("A", at: ports[0], policy: "open")
      let b = try circle.node("B", at: ports[1], calling: ports[0], policy: "open")
      let c = try circle.node("C", at: ports[2], calling: ports[0], policy: "open")
      nodes = [a, b, c]
      for node in nodes {
        for other in nodes where other !== node {
          try circle.wait(for: node, toHear: other.name)
        }
      }
    }

    private func line(_ name: String, of node: NodeProcess) throws -> LineStatus? {
      try node.status().lines?.first { $0.name == name }
    }

    private func hears(_ node: NodeProcess, _ talker: String) throws(RigError) -> Bool {
      let peer = try node.status().peers.first { $0.name == talker }
      return peer.map { $0.isTalking && $0.levelDBFS > -60 } ?? false
    }

    /// Waits until a node hears just these.
    private func wait(for node: NodeProcess, toHear talkers: Set<String>) throws {
      try waitUntil(
        "\(node.name) to hear \(talkers.sorted())", within: 5, interval: 0.1,
        detail: { node.process.outputTail() }
      ) { () throws(RigError) in
        let others = nodes.map(\.name).filter { $0 != node.name }
        for other in others where try hears(node, other) != talkers.contains(other) { return false }
        return true
      }
    }

    private func ask(_ node: NodeProcess, _ requests: ControlRequest...) throws {
      for request in requests { #expect(try node.ask(request) == .ok, "\(request)") }
    }

    @Test func `keys and lines decide who hears whom, and all see it`() throws {
      let (a, b, c) = (nodes[0], nodes[1], nodes[2])
      for node in nodes { try ask(node, .talk(isOn: false)) }
      try ask(a, .line(.new(line: "stage")), .line(.new(line: "video")))
      for (node, name) in [(b, "stage"), (c, "video")] {
        try waitUntil("\(node.name) to know \(name)", within: 3) { () throws(RigError) in
          try node.status().lines?.contains { $0.name == name } == true
        }
        try ask(node, .line(.join(line: name)))
      }
      for node in nodes { try wait(for: node, toHear: []) }

      try ask(a, .key(.tap(key: "stage")))
      try wait(for: b, toHear: ["A"])
      try wait(for: c, toHear: [])
      // Who is on none of the talker's lines sees it all the same.
      try waitUntil("C to see A talk", within: 2) { () throws(RigError) in
        try c.status().lines?.first { $0.name == "stage" }?.talkers == ["A"]
      }
      #expect(try line("stage", of: a)?.members == ["B"])
      #expect(try a.status().keys?.first { $0.name == "stage" }?.tally == .talkListen)
      #expect(try b.status().keys?.first { $0.name == "stage" }?.isPresent == true)

      try ask(a, .key(.tap(key: "stage")), .key(.press(key: "video", holder: nil)))
      try wait(for: b, toHear: [])
      try wait(for: c, toHear: ["A"])
      try ask(c, .line(.listen(line: "video", isOn: false)))
      try wait(for: c, toHear: [])
      try ask(
        c, .line(.listen(line: "video", isOn: true)), .line(.level(line: "video", decibels: -20)))
      try wait(for: c, toHear: ["A"])
      try ask(a, .key(.release(key: "video", holder: nil)), .talk(isOn: true))
      try wait(for: b, toHear: ["A"])
      try wait(for: c, toHear: ["A"])
      // Nothing that was for others counts as lost.
      for node in [b, c] {
        let peer = try #require(try node.status().peers.first { $0.name == "A" })
        #expect(peer.lost == 0, "\(node.name)")
      }
      // A pedal that is heard of no more lets go.
      try ask(a, .talk(isOn: false), .key(.press(key: "stage", holder: "pedal")))
      try wait(for: b, toHear: ["A"])
      pause(seconds: 1.5)
      #expect(try a.status().keys?.first { $0.name == "stage" }?.isHeld == false)
      try wait(for: b, toHear: [])
      let refusal = #expect(throws: RigError.self) {
        _ = try b.ask(.line(.join(line: "nothing")))
      }
      #expect(refusal.map { "\($0)" }?.contains("no line is called nothing") == true)
    }

    private func note(_ node: NodeProcess, _ request: ControlRequest) throws -> String {
      guard case .done(let note) = try node.ask(request) else { return "" }
      return note
    }

    private func refusal(_ node: NodeProcess, _ request: ControlRequest) -> String {
      do {
        return "\(try node.ask(request))"
      } catch {
        return "\(error)"
      }
    }

    @Test func `a private line is known and heard by those on it, and its last words again`() throws
    {
      let (a, b, c) = (nodes[0], nodes[1], nodes[2])
      for node in nodes { try ask(node, .talk(isOn: false)) }
      try ask(
        a, .line(.new(line: "board", isPrivate: true)), .line(.add(line: "board", peer: "B")))
      try waitUntil("B to be invited", within: 3) { () throws(RigError) in
        try b.status().lines?.first { $0.name == "board" }?.invitedBy == "A"
      }
      for node in nodes { try wait(for: node, toHear: []) }
      try ask(a, .key(.tap(key: "board")))
      try ask(b, .line(.join(line: "board")))
      try wait(for: b, toHear: ["A"])
      try wait(for: c, toHear: [])
      #expect(try line("board", of: c) == nil)
      #expect(try line("board", of: b)?.talkers == ["A"])
      pause(seconds: 1)
      #expect(try note(b, .line(.again(line: "board", seconds: 1))).contains("of line board"))
      try ask(b, .line(.new(line: "quiet")))
      #expect(refusal(b, .line(.again(line: "quiet", seconds: nil))).contains("nobody was heard"))
      try ask(a, .line(.remove(line: "board", peer: "B")))
      try wait(for: b, toHear: [])
      try waitUntil("B to be off the line", within: 3) { () throws(RigError) in
        try b.status().lines?.contains { $0.name == "board" } == false
      }
    }

    @Test func `an operator sets what it may, and nobody else does`() throws {
      let (a, b, c) = (nodes[0], nodes[1], nodes[2])
      for node in nodes { try ask(node, .talk(isOn: true)) }
      for node in nodes {
        let others = Set(nodes.map(\.name)).subtracting([node.name])
        try wait(for: node, toHear: others)
      }
      let kill = ControlRequest.operators(.kill)
      #expect(refusal(a, .operators(.at(peer: "B", kill))).contains("no operator here"))
      try ask(b, .operators(.allow(peer: "A", rights: ["kill"])))
      #expect(
        refusal(a, .operators(.at(peer: "B", .talk(isOn: false)))).contains("lacks the right keys"))
      #expect(try note(a, .operators(.at(peer: "B", kill))) == "released: all")
      try wait(for: c, toHear: ["A"])
      let status = try #require(try b.status().operators?.first)
      #expect(status.name == "A" && status.rights == ["kill"] && status.acts == 1)
      #expect(status.lastAct?.contains("mic-kill") == true)
      #expect(refusal(c, .operators(.at(peer: "B", kill))).contains("no operator here"))
      try ask(b, .operators(.allow(peer: "A", rights: [])))
      try ask(a, .operators(.at(peer: "B", .talk(isOn: true))))
      // Of a private line it neither learns nor sets anything.
      try ask(b, .line(.new(line: "board", isPrivate: true)))
      for request in [
        ControlRequest.line(.leave(line: "board")), .key(.tap(key: "board")),
        .key(.set(KeySetting(name: "x", lines: ["board"]))), .key(.preset("panel", lines: [])),
      ] {
        #expect(refusal(a, .operators(.at(peer: "B", request))).contains("cannot be set from afar"))
      }
      #expect(try line("board", of: b)?.isTalking == false)
      try wait(for: c, toHear: ["A", "B"])
      #expect(refusal(a, .operators(.at(peer: "B", .recordStop))).contains("from afar"))
      try ask(b, .key(.tap(key: "board")))
      #expect(
        try note(a, .operators(.at(peer: "B", kill))) == "released: all, 1 of private lines")
      try ask(b, .operators(.deny(peer: "A")))
      #expect(refusal(a, .operators(.at(peer: "B", kill))).contains("no operator here"))
    }

    @Test func `a call is answered in private, and all see what is theirs`() throws {
      let (a, b, c) = (nodes[0], nodes[1], nodes[2])
      for node in nodes { try ask(node, .talk(isOn: false)) }
      for node in nodes { try wait(for: node, toHear: []) }
      try ask(a, .call(.call(peer: "B", line: nil, holder: nil)))
      try waitUntil("B to be called", within: 3) { () throws(RigError) in
        try b.status().calls?.incoming.map(\.peer) == ["A"]
      }
      #expect(try a.status().calls?.outgoing.map(\.peer) == ["B"])
      #expect(try b.status().keys?.first { $0.name == "reply" }?.isCalled == true)
      try ask(b, .call(.reply(clears: false)))
      try wait(for: a, toHear: ["B"])
      try wait(for: c, toHear: [])
      #expect(try a.status().calls?.incoming.map(\.isTalking) == [true])
      #expect(try a.status().calls?.outgoing.isEmpty == true)
      #expect(try c.status().calls?.incoming.isEmpty == true)
      try ask(b, .call(.reply(clears: true)))
      try wait(for: a, toHear: [])

      // A key for C, an announcement for those who listen to nothing.
      var direct = KeySetting(name: "direct", lines: [])
      direct.targets = ["member:C"]
      var page = KeySetting(name: "page", lines: [])
      page.targets = ["announcement"]
      try ask(a, .key(.set(direct)), .key(.set(page)), .key(.tap(key: "direct")))
      try wait(for: c, toHear: ["A"])
      try wait(for: b, toHear: [])
      try ask(a, .key(.tap(key: "direct")))
      try wait(for: c, toHear: [])
      for node in [b, c] { try ask(node, .line(.listen(line: "all", isOn: false))) }
      try ask(a, .talk(isOn: true), .key(.press(key: "page", holder: nil)))
      for node in [b, c] { try wait(for: node, toHear: ["A"]) }
      try ask(a, .key(.release(key: "page", holder: nil)))
      for node in [b, c] { try wait(for: node, toHear: []) }
    }
  }
}
