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
  }
}
