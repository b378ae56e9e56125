import Foundation
import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// Who nodes are and what they are called, where cards are copied, flashed anew, or machines get another name.
  @Suite struct IdentityTests {
    private let directory: TemporaryDirectory
    private let ports: [Int]

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      ports = try LoopbackPorts.free(4)
    }

    @Test func `of two nodes of one identity both say so where one looks, and id new parts them`()
      throws
    {
      let a = try node("A", at: 0)
      try join(a)
      var b = try node("B", at: 1)
      try b.ask(.groupJoin(invitation: try invitation))
      try waitUntilMember(b, of: a)
      try copyState("B", to: "C")
      let c = try node("C", at: 2)
      try waitUntilMember(c, of: a)
      try waitUntilTold(b, "started later: nobody lets this one in")
      try waitUntilTold(c, "started earlier: it is kept out")
      for node in [b, c] {
        let warnings = node.process.output.split(separator: "\n").filter {
          $0.contains("event=identity-twice")
        }
        #expect(warnings.count == 1 && warnings[0].contains("WARNING"), "\(warnings)")
        #expect(warnings.first?.contains("comlink id new on one of the two") == true)
        let status = try remote(["status", "--control", node.controlPath])
        #expect(status.words.contains("PROBLEM  this identity runs on another node"))
        let doctor = try remote(["doctor", "--control", node.controlPath])
        #expect(doctor.code == 1)
        #expect(doctor.words.contains("problem  daemon     this identity runs on another node"))
      }
      // Whole, within what a message has room for.
      #expect(b.process.output.contains("(copied card?): comlink id new on one\""))

      let shared = try c.status().node.id
      let new = try remote(["id", "new", "--control", b.controlPath])
      #expect(new.code == 0 && new.words.contains("new identity: "), "\(new.words)")
      #expect(try b.status().node.id == shared, "not before the next start")
      b = try restart(b, "B", at: 1)
      #expect(try b.status().node.id != shared)
      #expect(new.words.contains(try #require(try b.status().node.idWords)))
      try waitUntilMember(b, of: a)
      try waitUntilMember(c, of: a)
      #expect(try b.status().node.identityTwin == nil)
    }

    @Test func `a new identity is made in the state directory where no daemon runs`() throws {
      var node = try node("N", at: 0)
      let id = try node.status().node.id
      let path = directory.file("N.state")
      let busy = try remote(["id", "new", "--control", "/nonexistent", "--state", path])
      #expect(busy.code == 65 && busy.words.contains("name its socket by --control"))
      try end(node)
      let new = try remote(["id", "new", "--control", "/nonexistent", "--state", path])
      #expect(new.code == 0, "\(new.words)")
      node = try self.node("N", at: 0)
      #expect(try node.status().node.id != id)
      #expect(new.words.contains(try #require(try node.status().node.idWords)))
    }

    @Test func `a node flashed anew has its name everywhere once one user forgot the old one`()
      throws
    {
      let a = try node("A", at: 0)
      try join(a)
      let b = try node("B", at: 1)
      try b.ask(.groupJoin(invitation: try invitation))
      let first = try node("first", at: 2, named: "box")
      try first.ask(.groupJoin(invitation: try invitation))
      for node in [a, b] { try waitUntilNamed("box", at: node) }
      first.process.send(signal: SIGKILL)
      _ = try first.process.wait(within: 5)
      let second = try node("second", at: 3, named: "box")
      try second.ask(.groupJoin(invitation: try invitation))
      for node in [a, b] { try waitUntilNamed("box-2", at: node) }
      // By the name that mute and forget want.
      #expect(try a.known().contains { $0.name == "box-2" && $0.state == "member" })
      try a.ask(.forget(peer: "box"))
      for node in [a, b] {
        try waitUntilNamed("box", at: node)
        #expect(try !node.known().contains { $0.name == "box-2" })
      }
      #expect(b.process.output.contains("event=forgotten"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may name a machine"), arguments: [true, false])
    func `a node is called as its machine is, whenever that changes, unless it was given a name`(
      isGiven: Bool
    ) throws {
      let a = try Daemon(
        "A",
        ["--listen", "127.0.0.1:\(ports[0])", "--policy", "open"]
          + (isGiven ? ["--name", "given"] : []), wrapper: ["unshare", "--uts"], in: directory)
      try a.waitUntilReady()
      let b = try node("B", at: 1, arguments: ["--policy", "open"])
      try waitUntilMember(b, of: a)
      let rename = try ChildProcess(
        "nsenter",
        ["--target", "\(a.process.identifier)", "--uts"]
          + ["sh", "-c", "echo stage-left.example >/proc/sys/kernel/hostname"],
        outputPath: directory.file("rename.log"))
      try #require(try rename.wait(within: 5) == 0)
      guard !isGiven else {
        pause(seconds: 8)
        #expect(try a.status().node.name == "given")
        return
      }
      try waitUntilNamed("stage-left", at: b)
      #expect(try a.status().node.name == "stage-left")
      #expect(a.process.output.contains("event=renamed"))
    }

    // MARK: Nodes

    /// A node that calls the first one, which makes the group.
    private func node(
      _ label: String, at index: Int, named name: String? = nil, arguments: [String] = []
    ) throws -> Daemon {
      let daemon = try Daemon(
        label,
        ["--name", name ?? label, "--listen", "127.0.0.1:\(ports[index])"]
          + (index == 0 ? [] : ["--peer", "127.0.0.1:\(ports[0])"]) + arguments, in: directory)
      try daemon.waitUntilReady()
      return daemon
    }

    /// Copies a running node's card: a file that it replaces meanwhile may be gone before it is read.
    private func copyState(_ label: String, to copy: String) throws {
      let (source, target) = (directory.file("\(label).state"), directory.file("\(copy).state"))
      try waitUntil("a copy of \(label)'s state", within: 5) { () throws(RigError) in
        try? FileManager.default.removeItem(atPath: target)
        return (try? FileManager.default.copyItem(atPath: source, toPath: target)) != nil
      }
    }

    private func end(_ daemon: Daemon) throws {
      daemon.process.send(signal: SIGTERM)
      #expect(try daemon.process.wait(within: 10) == 0)
    }

    private func restart(_ daemon: Daemon, _ label: String, at index: Int) throws -> Daemon {
      try end(daemon)
      return try node(label, at: index)
    }

    private func join(_ node: Daemon) throws {
      guard case .invitation(let text) = try node.ask(.groupNew(name: "crew")) else {
        throw RigError.status(reason: "no invitation")
      }
      try text.text.write(toFile: directory.file("crew"), atomically: true, encoding: .utf8)
    }

    private var invitation: SecretText {
      get throws {
        SecretText(try String(contentsOfFile: directory.file("crew"), encoding: .utf8))
      }
    }

    private func remote(_ arguments: [String]) throws -> (code: Int32, words: String) {
      let remote = try ChildProcess(
        try Executables.path(of: "comlink"), arguments, outputPath: directory.file("remote.log"))
      return (try remote.wait(within: 30), remote.output)
    }

    private func waitUntilMember(_ node: Daemon, of other: Daemon) throws {
      let id = try node.status().node.id
      try waitUntil("a member", within: 40, detail: { directory.logTails() }) {
        () throws(RigError) in
        try other.known().contains { $0.id == id && $0.state == "member" }
      }
    }

    private func waitUntilTold(_ node: Daemon, _ words: String) throws {
      try waitUntil("the word of a twin", within: 60, detail: { node.process.output }) {
        () throws(RigError) in
        try node.status().node.identityTwin?.contains(words) == true
      }
    }

    /// Until one is heard by that name.
    private func waitUntilNamed(_ name: String, at node: Daemon) throws {
      try waitUntil(
        "\(name)", within: 30,
        detail: {
          "\((try? node.status().peers.map(\.name)) ?? [])\n\(directory.logTails())"
        }
      ) { () throws(RigError) in
        try node.status().peers.contains { $0.name == name && $0.state == .connected }
      }
    }
  }
}
