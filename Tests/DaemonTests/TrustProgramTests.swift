import Foundation
import Testing

/// comlinkd and comlink as processes of their own: whom a node trusts and blocks, and what its disk has of it.
@Suite(.timeLimit(.minutes(2))) struct TrustProgramTests {
  private static let stranger = String(repeating: "a", count: 52)

  private let folder: TestFolder
  private var path: String { "\(folder.path)/c.sock" }
  private var state: String { "\(folder.path)/state" }

  init() throws { folder = try TestFolder() }

  private func started() async throws -> Program {
    let daemon = try Program(
      "comlinkd",
      ["--control", path, "--listen", "127.0.0.1:0", "--state", state, "--name", "A"])
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  private func end(_ daemon: Program, by signal: Int32 = SIGTERM) async throws {
    kill(daemon.identifier, signal)
    _ = try await daemon.outcome()
  }

  private func comlink(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run("comlink", arguments + ["--control", path])
  }

  @Test func `a block that was answered is there after a kill in the same moment`() async throws {
    for round in 0..<5 {
      let daemon = try await started()
      let blocked = try await comlink(["block", Self.stranger])
      try await end(daemon, by: SIGKILL)
      #expect(blocked.code == 0 && blocked.complaint.isEmpty, "\(blocked.complaint)")
      let again = try await started()
      #expect(try await comlink(["peers"]).output.contains("blocked"), "round \(round)")
      let forgotten = try await comlink(["forget", Self.stranger])
      try await end(again, by: SIGKILL)
      #expect(forgotten.code == 0)
      let third = try await started()
      #expect(try await !comlink(["peers"]).output.contains("blocked"), "round \(round)")
      try await end(third)
    }
  }

  @Test(arguments: ["block", "invite", "forget"])
  func `what cannot be kept is done, and told to hold for this run only`(verb: String) async throws
  {
    let daemon = try await started()
    try FileManager.default.removeItem(atPath: state)
    let outcome = try await comlink([verb, Self.stranger])
    #expect(outcome.code == 0)
    #expect(outcome.complaint.hasPrefix("comlink: done, but for this run only: cannot "))
    #expect(outcome.complaint.contains("No such file or directory"))
    if verb == "block" { #expect(try await comlink(["peers"]).output.contains("blocked")) }
    try await end(daemon)
  }

  @Test func `where nothing was ever kept, a block holds for this run and says so`() async throws {
    try "in the way".write(toFile: state, atomically: true, encoding: .utf8)
    let daemon = try await started()
    let outcome = try await comlink(["block", Self.stranger])
    #expect(outcome.code == 0)
    let reason = "for this run only: changes cannot be saved: \(state) is in the way"
    #expect(outcome.complaint.contains(reason))
    try await end(daemon)
  }

  @Test func `a damaged list of who is blocked is told everywhere, and not written over`()
    async throws
  {
    let first = try await started()
    _ = try await comlink(["block", Self.stranger])
    try await end(first)
    let file = "\(state)/mesh"
    var octets = try Data(contentsOf: URL(filePath: file))
    octets[octets.count - 1] ^= 1
    try octets.write(to: URL(filePath: file))
    #expect(unsafe chmod(file, 0o600) == 0)

    let daemon = try await started()
    #expect(daemon.complaint.contains("ERROR state: \(file) is damaged"))
    #expect(try await comlink(["status"]).output.contains("trust    unknown: \(file)"))
    let json = try await comlink(["status", "--json"]).output
    #expect(json.contains(#""trustProblem" : "\#(file)"#))
    #expect(try await comlink(["id"]).output.contains("trust unknown: \(file) is damaged"))
    let more = try await comlink(["block", String(repeating: "b", count: 51) + "a"])
    #expect(more.complaint.contains("for this run only"))
    try await end(daemon)
    #expect(try Data(contentsOf: URL(filePath: file)) == octets)
  }

  @Test func `requests about nobody are refused in words, names without commands to the terminal`()
    async throws
  {
    let daemon = try await started()
    for verb in ["accept", "decline", "invite", "block"] {
      let outcome = try await comlink([verb, "no\u{1B}body"])
      #expect(outcome.code == 65)
      #expect(outcome.complaint == "comlink: no peer named 'no?body'; there are no peers yet\n")
    }
    let declined = try await comlink(["decline", Self.stranger])
    #expect(declined.complaint.contains("does not ask to be let in"))
    _ = try await comlink(["block", Self.stranger])
    let invited = try await comlink(["invite", Self.stranger])
    #expect(
      invited.code == 65
        && invited.complaint.contains("is blocked; lift the block with comlink forget"))
    let wrong = try await comlink(["pair", "--with", "nobody", "--pin", "123456"])
    #expect(wrong.code == 65 && wrong.complaint.contains("no node named nobody found"))
    let shown = try await comlink(["pair", "--show"])
    #expect(shown.code == 0 && shown.output.wholeMatch(of: /[0-9]{3} [0-9]{3}\n/) != nil)
    try await end(daemon)
  }
}
