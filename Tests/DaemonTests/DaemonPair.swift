import Foundation
import Synchronization
import Testing

/// Two daemons, anna and bert, that find each other on the loopback and can be killed and started anew.
final class DaemonPair: Sendable {
  let folder: TestFolder
  private let names = ["anna", "bert"]
  private let ports: [Int]
  /// Of each, arguments beyond those of every node.
  private let more: [[String]]
  private let daemons = Mutex<[Program?]>([nil, nil])

  init(_ more: [[String]] = [[], []], in folder: TestFolder? = nil) throws {
    self.folder = try folder ?? TestFolder()
    self.more = more
    ports = try (0..<2).map { _ in try MessageProgramTests.freePort() }
  }

  func start() async throws {
    for index in 0..<2 { try await start(index) }
  }

  func start(_ index: Int) async throws {
    let (name, own) = (names[index], ports[index])
    let daemon = try Program(
      "comlinkd",
      [
        "--control", socket(index), "--listen", "127.0.0.1:\(own)",
        "--peer", "127.0.0.1:\(ports[1 - index])", "--state", state(index), "--name", name,
        "--jack-server", "none-\(own)",
      ] + more[index])
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    daemons.withLock { $0[index] = daemon }
  }

  /// Where a node keeps what it keeps.
  func state(_ index: Int) -> String { "\(folder.path)/\(names[index]).state" }

  /// Where a node takes commands.
  func socket(_ index: Int) -> String { "\(folder.path)/\(names[index]).sock" }

  /// A node's process; nil: it does not run.
  func process(_ index: Int) -> Int32? { daemons.withLock { $0[index] }?.identifier }

  /// What a node has written to its log since its last start.
  func log(_ index: Int) -> String { daemons.withLock { $0[index] }?.complaint ?? "" }

  private func stop(_ index: Int, by signal: Int32) async throws {
    guard let daemon = daemons.withLock({ $0[index] }) else { return }
    kill(daemon.identifier, signal)
    _ = try await daemon.outcome()
    daemons.withLock { $0[index] = nil }
  }

  func cut(_ index: Int) async throws { try await stop(index, by: SIGKILL) }

  func cutAndStart(_ index: Int) async throws {
    try await cut(index)
    try await start(index)
  }

  func end() async throws {
    for index in 0..<2 { try await stop(index, by: SIGTERM) }
  }

  func comlink(_ index: Int, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(
      "comlink", arguments + ["--control", socket(index)])
  }

  /// Both are of one group, and each has the other's key.
  func makeCrew() async throws {
    let invitation = try await comlink(0, ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink(1, ["group", "join", invitation])
    for index in 0..<2 {
      try await wait(index, within: 30) {
        try await self.comlink(index, ["say", self.names[1 - index], "hello"]).code == 0
      }
    }
  }

  /// Waits until something is so; what both nodes logged is told where it never is.
  func wait(
    _ index: Int, within seconds: Double, until isSo: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
      guard ContinuousClock.now < end else {
        let logs = [index, 1 - index].map { "\(names[$0]): \(log($0).suffix(3000))" }
        Issue.record("after \(seconds) s, \(logs.joined(separator: "\n"))")
        return
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// What another reader of SQLite files says of a node's messages; `ok` where they are whole.
  func judgement(_ index: Int) async throws -> String {
    let script = """
      import sqlite3, sys
      print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])
      """
    let outcome = try await Program.run(
      "/usr/bin/python3", ["-c", script, "\(state(index))/messages.db"])
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines) + outcome.complaint
  }
}
