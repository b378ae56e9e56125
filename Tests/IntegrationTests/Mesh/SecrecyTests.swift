import Foundation
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// What nodes tell of themselves, and never of their secrets.
  @Suite struct SecrecyTests {
    private let directory: TemporaryDirectory
    private let circle: Circle
    private let ports: [Int]

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      circle = try Circle(in: directory)
      ports = try LoopbackPorts.free(3)
    }

    /// The ways in which octets may be written.
    private static func spellings(_ octets: [UInt8]) -> [String] {
      let digits = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return [
        digits.joined(), digits.joined(separator: " "), digits.joined(separator: ":"),
        octets.map(String.init).joined(separator: ", "),
        Data(octets).base64EncodedString(),
      ]
    }

    /// The secrets in a node's state directory: the seed of its identity, and what is in the file of its groups.
    private func secrets(of name: String) throws -> [String] {
      func content(_ file: String) throws -> [UInt8] {
        let octets = [UInt8](
          try Data(contentsOf: URL(fileURLWithPath: directory.file("\(name).state/\(file)"))))
        let head = try #require(octets.firstIndex(of: UInt8(ascii: "\n")))
        // A line, the content, a hash.
        return Array(octets[(head + 1)..<(octets.count - 32)])
      }
      let seed = try content("identity")
      try #require(seed.count == 32)
      // Of the one group its secret is last.
      return [seed, Array(try content("groups").suffix(32))].flatMap(Self.spellings)
    }

    /// All that the remote shows of a node.
    private func shown(by node: NodeProcess) throws -> String {
      let commands = [
        ["status"], ["status", "--json"], ["peers"], ["id"], ["group", "list"], ["log", "level"],
      ]
      return try commands.map { command in
        let remote = try ChildProcess(
          Executables.path(of: "comlink"), command + ["--control", node.controlPath],
          outputPath: directory.file("remote.out"))
        #expect(try remote.wait(within: 10) == 0)
        return remote.output
      }.joined()
    }

    @Test func `no secret is in a log at trace level nor in what the remote shows`() throws {
      let trace = ["--log-level", "trace"]
      let a = try circle.node("A", at: ports[0], arguments: trace)
      let b = try circle.node("B", at: ports[1], arguments: trace)
      let c = try circle.node("C", at: ports[2], calling: ports[0], arguments: trace)
      let invitation = try circle.group("crew", of: a).text
      guard case .pin(let pin, _) = try a.ask(.pairShow(group: nil)) else {
        Issue.record("no PIN")
        return
      }
      _ = try b.ask(.pairWith(peer: "127.0.0.1:\(ports[0])", pin: pin))
      _ = try c.ask(.groupJoin(invitation: SecretText(invitation)))
      try circle.wait(for: a, toHear: "B")
      try circle.wait(for: a, toHear: "C")
      let ended = c.process.output
      c.process.terminate()
      try waitUntil("another key of A's", within: 10) { () throws(RigError) in
        try a.status().node.keyEpoch ?? 0 > 0
      }
      try circle.wait(for: b, toHear: "A")
      let told = try [a, b].map { try $0.process.output + shown(by: $0) }.joined() + ended
      #expect(told.contains("TRACE") || told.contains("DEBUG"), "there is something to be found in")
      let secret = try #require(invitation.split(separator: "/").last)
      #expect(secret.count > 40 && !told.contains(secret) && !told.contains("comlink:group"))
      // Among other digits it would be found by chance.
      let isPINTold = told.split { !$0.isNumber }.contains { $0 == pin.text }
      #expect(!isPINTold)
      for spelling in try secrets(of: "A") + secrets(of: "B") {
        let isTold = told.contains(spelling) || told.contains(spelling.uppercased())
        #expect(!isTold)
      }
    }
  }
}
