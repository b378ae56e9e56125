import Foundation
import Remote
import TestKit
import Testing

/// comlinkd as a process of its own.
@Suite(.timeLimit(.minutes(2))) struct DaemonProgramTests {
  private let folder: TestFolder
  private var path: String { "\(folder.path)/run/c.sock" }
  /// Any free port: tests and other nodes of this machine do not meet.
  private var arguments: [String] { ["--control", path, "--listen", "127.0.0.1:0"] }

  init() throws { folder = try TestFolder() }

  private func started(
    _ more: [String] = [], environment: [String: String] = [:], ignoring ignored: String? = nil
  ) async throws -> Program {
    let words = arguments + more
    let daemon =
      if let ignored {
        try Program(
          "/bin/sh",
          ["-c", "trap '' \(ignored); exec \"$0\" \"$@\"", Program.path(of: "comlinkd")] + words)
      } else {
        try Program("comlinkd", words, environment: environment)
      }
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends it in order and its socket is gone`(signal: Int32) async throws {
    let daemon = try await started()
    #expect(FileManager.default.fileExists(atPath: path))
    kill(daemon.identifier, signal)
    let outcome = try await daemon.outcome()
    #expect(outcome.code == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `each line that it writes to the journal is an event with a name`() async throws {
    let daemon = try Program("comlinkd", arguments + ["--role", "x"], isJournal: true)
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    kill(daemon.identifier, SIGTERM)
    let lines = try await daemon.outcome().complaint.split(separator: "\n")
    #expect(lines.count >= 5)
    for line in lines {
      #expect(line.hasPrefix("<") && line.contains(" event="), "\(line)")
    }
  }

  @Test func `signals that come together count as one`() async throws {
    let daemon = try await started()
    kill(daemon.identifier, SIGTERM)
    kill(daemon.identifier, SIGINT)
    kill(daemon.identifier, SIGTERM)
    let outcome = try await daemon.outcome()
    #expect(outcome.code == 0, "\(outcome.complaint)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a second signal after a while ends it at once`() async throws {
    // A systemd that reads nothing keeps the daemon from telling it of the end.
    let name = "\(folder.path)/notify"
    let systemd = try NoticeListener(name)
    let daemon = try await started(environment: ["NOTIFY_SOCKET": name])
    systemd.fill()
    kill(daemon.identifier, SIGTERM)
    try await Task.sleep(for: .milliseconds(600))
    kill(daemon.identifier, SIGTERM)
    let outcome = try await daemon.outcome()
    #expect(outcome.code == 128 + SIGTERM)
    #expect(outcome.complaint.contains("exits at once: second signal"))
  }

  @Test func `a service manager that cannot be reached is told in the log, and no more`()
    async throws
  {
    let daemon = try await started(environment: ["NOTIFY_SOCKET": "/nowhere"])
    #expect(
      daemon.complaint.contains(
        "systemd cannot be notified event=systemd-unreachable socket=/nowhere"))
    kill(daemon.identifier, SIGTERM)
    #expect(try await daemon.outcome().code == 0)
  }

  @Test func `one that is to outlive its terminal does`() async throws {
    let daemon = try await started(ignoring: "HUP")
    // Taken in this order, were both awaited.
    kill(daemon.identifier, SIGHUP)
    kill(daemon.identifier, SIGTERM)
    let outcome = try await daemon.outcome()
    #expect(outcome.code == 0)
    #expect(outcome.complaint.contains("signal=SIGTERM"))
  }

  @Test func `a name that was chosen holds from its next start on`() async throws {
    let state = ["--state", "\(folder.path)/state"]
    let first = try await started(state)
    let choice = try await Program.run(
      "comlink", ["choose", "name", "Küche", "--control", path])
    #expect(choice.code == 0, "\(choice.complaint)")
    #expect(choice.output == "name Küche holds from the next start: comlink restart\n")
    let refused = try await Program.run("comlink", ["choose", "profile", "x", "--control", path])
    #expect(refused.code == 65 && refused.complaint.contains("profile must be"))
    kill(first.identifier, SIGTERM)
    #expect(try await first.outcome().code == 0)
    let second = try await started(state)
    let status = try await Program.run("comlink", ["status", "--json", "--control", path])
    #expect(status.output.contains("\"name\" : \"Küche\""), "\(status.output)")
    kill(second.identifier, SIGTERM)
    #expect(try await second.outcome().code == 0)
  }

  @Test func `a second daemon at the same socket is refused and says so`() async throws {
    let first = try await started()
    let second = try await Program.run("comlinkd", arguments)
    #expect(second.code == 69)
    #expect(second.complaint.contains("another comlinkd answers at \(path)"))
    kill(first.identifier, SIGTERM)
    #expect(try await first.outcome().code == 0)
  }

  @Test func `after a kill the next daemon takes over the socket`() async throws {
    let first = try await started()
    kill(first.identifier, SIGKILL)
    #expect(try await first.outcome().code == 128 + SIGKILL)
    #expect(FileManager.default.fileExists(atPath: path))
    let second = try await started()
    kill(second.identifier, SIGTERM)
    #expect(try await second.outcome().code == 0)
  }

  static let ends: [(arguments: [String], code: Int32, words: String)] = [
    (["--version"], 0, ""),
    (["--print-config"], 0, ""),
    (["--ptyme", "5"], 64, "Unknown option '--ptyme'. Did you mean '--ptime'?"),
    (["extra"], 64, "extra"),
    (["--ptime", "3"], 64, "--ptime must be one of"),
    (["--playout-delay", "-1"], 64, "--playout-delay must be from 0 to 1000, not -1"),
    (["--ptime", "-2.5"], 64, "--ptime must be one of 2.5|5|10|20|40|60, not -2.5"),
    (["--playout-delay", "--ptime", "5"], 64, "Missing value"),
    (["--control", ""], 64, "--control must be a path"),
    (
      ["--control", "/tmp/" + String(repeating: "x", count: 103)], 64,
      "--control is too long for a socket path, at most 107 bytes"
    ),
    (["--bitrate", "lots"], 64, "--bitrate must be a whole number, not \"lots\""),
    (["--clear"], 64, "Unknown option '--clear'"),
    (["--config", "/nowhere/c.toml"], 78, "/nowhere/c.toml: no such file"),
    (["--control", "/nowhere/c/control.sock"], 71, "/nowhere/c: No such file or directory"),
  ]

  @Test(arguments: ends)
  func `it ends as sysexits says and in words`(
    arguments: [String], code: Int32, words: String
  ) async throws {
    let outcome = try await Program.run("comlinkd", arguments)
    #expect(outcome.code == code)
    #expect(words.isEmpty || outcome.complaint.contains(words))
    #expect(outcome.complaint.isEmpty == (code == 0))
  }

  @Test func `the printed configuration can be used`() async throws {
    let arguments = [
      "--ptime", "2.5", "--peer", "127.0.0.1:5006", "--peer", "[::1]:5008", "--no-connect",
    ]
    let printed = try await Program.run("comlinkd", arguments + ["--print-config"])
    let file = "\(folder.path)/c.toml"
    try printed.output.write(toFile: file, atomically: true, encoding: .utf8)
    let again = try await Program.run("comlinkd", ["--config", file, "--print-config"])
    func settings(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(settings(again.output) == settings(printed.output))
    #expect(settings(again.output).contains("peer = [\"127.0.0.1:5006\", \"[::1]:5008\"]"))
  }

  @Test func `under systemd its lines have priorities`() async throws {
    let outcome = try await Program("comlinkd", ["--ptime", "3"], isJournal: true).outcome()
    #expect(outcome.complaint == "<3>comlinkd: --ptime must be one of 2.5|5|10|20|40|60, not 3\n")
  }
}
