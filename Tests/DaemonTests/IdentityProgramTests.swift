import Foundation
import Testing

/// comlinkd and comlink as processes of their own: who the node is, and its groups.
@Suite(.timeLimit(.minutes(2))) struct IdentityProgramTests {
  private let folder: TestFolder
  private var path: String { "\(folder.path)/c.sock" }
  private var state: String { "\(folder.path)/state" }

  init() throws { folder = try TestFolder() }

  private func started(_ more: [String] = []) async throws -> Program {
    let daemon = try Program(
      "comlinkd",
      ["--control", path, "--listen", "127.0.0.1:0", "--state", state, "--name", "A"] + more)
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  /// Ends it in order; what it logged.
  private func ended(_ daemon: Program) async throws -> String {
    kill(daemon.identifier, SIGTERM)
    let outcome = try await daemon.outcome()
    #expect(outcome.code == 0)
    return outcome.complaint
  }

  private func comlink(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run("comlink", arguments + ["--control", path])
  }

  @Test func `a node has the same fingerprint and words at each start`() async throws {
    var texts: Set<String> = []
    var last: UInt64 = 0
    for _ in 1...2 {
      let daemon = try await started(["--log-level", "trace"])
      let id = try await comlink(["id"])
      #expect(id.code == 0, "\(id.complaint)")
      texts.insert(id.output)
      let status = try await comlink(["status", "--json"])
      let match = try #require(status.output.firstMatch(of: /"instance" : ([0-9]+),/))
      let instance = try #require(UInt64(match.1))
      #expect(instance > last)
      last = instance
      _ = try await ended(daemon)
    }
    let text = try #require(texts.first)
    #expect(texts.count == 1)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.map(\.first) == ["name", "fingerprint", "words"])
    #expect(lines.map(\.count) == [2, 2, 9])
    #expect(lines[1][1].count == 52)
  }

  @Test func `a group made on one node is joined on another, its secret in no log`() async throws {
    let first = try await started(["--log-level", "trace"])
    let made = try await comlink(["group", "new", "stage crew", "--qr"])
    #expect(made.code == 0, "\(made.complaint)")
    let lines = made.output.split(separator: "\n")
    let invitation = try #require(lines.last.map(String.init))
    #expect(invitation.hasPrefix("comlink:group/stage%20crew/"))
    #expect(lines.count > 20 && lines[2].contains("█▀▀▀▀▀█"))
    let listed = try await comlink(["group", "list"])
    #expect(listed.output.hasPrefix("stage crew  ("))
    let status = try await comlink(["status", "--json"])
    var log = try await ended(first)

    try FileManager.default.removeItem(atPath: state)
    let second = try await started(["--log-level", "trace"])
    #expect(try await comlink(["group", "list"]).output.isEmpty)
    let joined = try await comlink(["group", "join", invitation])
    #expect(joined.output == listed.output)
    #expect(try await comlink(["group", "leave", "stage crew"]).code == 0)
    #expect(try await comlink(["group", "list"]).output.isEmpty)
    log += try await ended(second)

    let secret = invitation.suffix(58)
    for text in [log, status.output, listed.output] { #expect(!text.contains(secret.prefix(8))) }
  }

  @Test func `mistakes with groups are told in words`() async throws {
    let daemon = try await started()
    let mistyped = try await comlink(["group", "join", "comlink:group/crew/aaaa"])
    #expect(mistyped.code == 65)
    #expect(mistyped.complaint.contains("its secret has 4 characters instead of 58"))
    let unknown = try await comlink(["group", "leave", "crew"])
    #expect(unknown.code == 65)
    #expect(unknown.complaint == "comlink: this node is not in group \"crew\"\n")
    _ = try await ended(daemon)
  }

  @Test func `where nothing can be kept the node runs, and says so`() async throws {
    try "in the way".write(toFile: state, atomically: true, encoding: .utf8)
    let daemon = try await started()
    let id = try await comlink(["id"])
    #expect(id.code == 0)
    #expect(id.output.contains("for this run only: \(state) is in the way and is not a directory"))
    let made = try await comlink(["group", "new", "crew"])
    #expect(made.code == 65)
    #expect(made.complaint.contains("changes cannot be saved: \(state) is in the way"))
    #expect(try await ended(daemon).contains("another identity at each start"))
  }
}
