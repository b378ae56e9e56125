import Remote
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// A daemon that is killed at each system call by which it changes its state directory, one after the other.
  ///
  /// What a power cut leaves of calls that were not synced is StoreTests' matter, on a disk that is made for it.
  @Suite(.enabled(if: SystemCallTrace.isPermitted, "strace is missing or may not trace here"))
  struct KilledWriteTests {
    private static let peer = "peer"

    private let directory: TemporaryDirectory
    private let killer: WriteKiller

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      killer = WriteKiller(directory: directory)
    }

    @Test func `killed anywhere in its first start, it starts as one node with growing instances`()
      throws
    {
      // Three files, each made, written, synced, renamed, and the directory synced.
      try killer.killEverywhere(expected: 15) { point in
        let label = point.label
        guard try isStartKilled(at: point, label) else { return false }
        let second = try restarted(label)
        let third = try restarted(label)
        #expect(second.identityProblem == nil, "\(point)")
        #expect(second.id == third.id, "\(point)")
        #expect(second.instance ?? .max < third.instance ?? 0, "\(point)")
        return true
      }
    }

    @Test func `killed anywhere in a later start, it is the same node with a greater instance`()
      throws
    {
      let before = try restarted("later")
      var last = before.instance ?? .max
      try killer.killEverywhere(expected: 5) { point in
        guard try isStartKilled(at: point, "later") else { return false }
        let after = try restarted("later")
        #expect(after.identityProblem == nil, "\(point)")
        #expect(after.id == before.id, "\(point)")
        #expect(last < after.instance ?? 0, "\(point)")
        last = after.instance ?? .max
        return true
      }
    }

    @Test func `killed anywhere while it takes a group, it has the group or not, and what it said`()
      throws
    {
      var before = try groups("group")
      try killer.killEverywhere(expected: 5) { point in
        let name = "g-\(point.label)"
        let daemon = try Daemon("group", ["--listen", "127.0.0.1:0"], in: directory)
        try daemon.waitUntilReady()
        let tracer = try killer.attachedTracer(to: daemon, "group", at: point)
        let answer = try? ask(daemon, .groupNew(name: name))
        let isKilled = (try? daemon.process.wait(within: 0.3)) != nil
        tracer.terminate()
        daemon.process.terminate()
        let after = try groups("group")
        #expect([before, before.union([name])].contains(after), "\(point)")
        if answer != nil { #expect(after.contains(name), "\(point)") }
        before = after
        return isKilled
      }
    }

    @Test func `killed anywhere while it keeps a gain, it has the one before or the new one`()
      throws
    {
      let (peer, port) = try peer()
      defer { peer.process.terminate() }
      // Neither of the two is what a node without its file has.
      var before = -6.0
      let first = try mixing(with: port)
      _ = try ask(first, .gain(peer: Self.peer, decibels: before))
      first.process.terminate()
      try killer.killEverywhere(expected: 5) { point in
        let daemon = try mixing(with: port)
        #expect(try gain(of: daemon) == before, "\(point)")
        let tracer = try killer.attachedTracer(to: daemon, "mix", at: point, files: ["mix"])
        let new = before == -6 ? -12.0 : -6
        let answer = try? ask(daemon, .gain(peer: Self.peer, decibels: new))
        let isKilled = (try? daemon.process.wait(within: 0.5)) != nil
        tracer.terminate()
        daemon.process.terminate()
        let after = try mixing(with: port)
        defer { after.process.terminate() }
        let gain = try #require(try gain(of: after))
        #expect(gain == new || isKilled && gain == before, "\(gain) dB, \(point)")
        #expect(isKilled || answer == .ok, "\(point)")
        #expect(!after.process.output.contains("is damaged"), "\(point)")
        before = gain
        return isKilled
      }
    }

    @Test func `killed anywhere while it keeps a name, it starts and knows the peer by it`() throws
    {
      let (peer, port) = try peer()
      defer { peer.process.terminate() }
      try killer.killEverywhere(expected: 5) { point in
        let label = "names-\(point.label)"
        let first = try Daemon(
          label, Self.calling(port),
          wrapper: ["strace"] + killer.options(label, at: point, ["names"]),
          in: directory)
        try waitUntil("a daemon that is killed, or has kept the name", within: 20) {
          !first.process.isRunning
            || text(ofFile: directory.file("\(label).state") + "/names") != nil
        }
        let isKilled = (try? first.process.wait(within: 0.5)) != nil
        first.process.terminate()
        let after = try mixing(with: port, label)
        defer { after.process.terminate() }
        #expect(!after.process.output.contains("is damaged"), "\(point)")
        return isKilled
      }
    }

    @Test func `killed anywhere while it keeps a connection, it has it or not, as before`() throws {
      let patchbay = try Patchbay(in: directory)
      let ear = try patchbay.ear()
      var daemon = try patchbay.daemon()
      var isConnected = false
      try killer.killEverywhere(expected: 5) { point in
        let tracer = try killer.attachedTracer(
          to: daemon, Patchbay.label, at: point, files: ["ports"])
        if isConnected {
          try patchbay.disconnect("mix_left", from: "ear:in_0")
        } else {
          try patchbay.connect("mix_left", to: "ear:in_0")
        }
        let isKilled = (try? daemon.process.wait(within: 1.5)) != nil
        tracer.terminate()
        daemon.process.terminate()
        try patchbay.waitUntilGone(ear)
        daemon = try patchbay.daemon()
        // What connects the one connects the other.
        pause(seconds: 0.3)
        let has = try patchbay.connections(of: "mix_left").contains("ear:in_0")
        #expect(has != isConnected || isKilled, "\(point)")
        #expect(!daemon.process.output.contains("is damaged"), "\(point)")
        isConnected = has
        return isKilled
      }
      daemon.process.terminate()
    }

    @Test func `killed anywhere while it blocks a node, it blocks it or not, and all before it`()
      throws
    {
      let others = try (0..<3).map { try #require(try restarted("other-\($0)").id) }
      var before = try blocked("mesh")
      var turn = 0
      try killer.killEverywhere(expected: 5) { point in
        // Blocked and forgotten in turn: the file grows no further.
        let other = others[turn % others.count]
        let wasBlocked = before.contains(other)
        turn += 1
        let daemon = try Daemon("mesh", ["--listen", "127.0.0.1:0"], in: directory)
        try daemon.waitUntilReady()
        let tracer = try killer.attachedTracer(to: daemon, "mesh", at: point)
        let answer = try? ask(daemon, wasBlocked ? .forget(peer: other) : .block(peer: other))
        let isKilled = (try? daemon.process.wait(within: 0.3)) != nil
        tracer.terminate()
        daemon.process.terminate()
        let after = try blocked("mesh")
        let wanted = before.symmetricDifference([other])
        #expect([before, wanted].contains(after), "\(point)")
        if answer == .ok { #expect(after == wanted, "\(point)") }
        before = after
        return isKilled
      }
    }

    /// Whether a start makes the call at which it is to be killed.
    private func isStartKilled(at point: WriteKiller.Point, _ label: String) throws -> Bool {
      let daemon = try Daemon(
        label, ["--listen", "127.0.0.1:0"], wrapper: ["strace"] + killer.options(label, at: point),
        in: directory)
      try waitUntil("a daemon that is killed, or ready", within: 20) { () throws(RigError) in
        !daemon.process.isRunning || (try? daemon.status()) != nil
      }
      let isKilled = !daemon.process.isRunning
      daemon.process.terminate()
      return isKilled
    }

    /// A start that nothing happens to.
    private func restarted(_ label: String) throws -> NodeStatus {
      let daemon = try Daemon(label, ["--listen", "127.0.0.1:0"], in: directory)
      try daemon.waitUntilReady()
      defer { daemon.process.terminate() }
      return try daemon.status().node
    }

    /// Somebody to meet, and the port.
    private func peer() throws -> (Daemon, port: Int) {
      let port = try #require(try LoopbackPorts.free(1).first)
      let peer = try Daemon(
        "peer", ["--name", Self.peer, "--listen", "127.0.0.1:\(port)", "--policy", "open"],
        in: directory)
      try peer.waitUntilReady()
      return (peer, port)
    }

    private static func calling(_ port: Int) -> [String] {
      ["--listen", "127.0.0.1:0", "--policy", "open", "--peer", "127.0.0.1:\(port)"]
    }

    /// A daemon with its peer in sight.
    private func mixing(with port: Int, _ label: String = "mix") throws -> Daemon {
      let daemon = try Daemon(label, Self.calling(port), in: directory)
      try waitUntil("its peer", within: 20, detail: { daemon.process.outputTail() }) {
        () throws(RigError) in
        try daemon.process.checkRunning()
        return (try? gain(of: daemon)) != nil
      }
      return daemon
    }

    private func gain(of daemon: Daemon) throws(RigError) -> Double? {
      try daemon.status().peers.first { $0.name == Self.peer && $0.id != nil }?.gainDecibels
    }

    private func groups(_ label: String) throws -> Set<String> {
      let daemon = try Daemon(label, ["--listen", "127.0.0.1:0"], in: directory)
      try daemon.waitUntilReady()
      defer { daemon.process.terminate() }
      guard case .groups(let groups) = try ask(daemon, .groupList) else {
        throw RigError.status(reason: "no groups")
      }
      return Set(groups.map(\.name))
    }

    /// The IDs of whom it blocks after a start.
    private func blocked(_ label: String) throws -> Set<String> {
      let daemon = try Daemon(label, ["--listen", "127.0.0.1:0"], in: directory)
      try daemon.waitUntilReady()
      defer { daemon.process.terminate() }
      #expect(try daemon.status().node.trustProblem == nil)
      guard case .knownNodes(let all) = try ask(daemon, .peers) else {
        throw RigError.status(reason: "no peers")
      }
      return Set(all.filter { $0.admission == "blocked" }.compactMap(\.id))
    }

    private func ask(_ daemon: Daemon, _ request: ControlRequest) throws -> ControlResponse {
      var remote = try ControlClient(path: daemon.controlPath)
      return try remote.request(request)
    }
  }
}
