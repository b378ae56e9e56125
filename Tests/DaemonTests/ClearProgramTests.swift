import Foundation
import Testing

/// comlinkd-clear as a process of its own.
@Suite(.timeLimit(.minutes(2))) struct ClearProgramTests {
  static let refusals: [(arguments: [String], code: Int32, words: String)] = [
    (["--config", "/dev/null"], 78, "listen is [::]:5004"),
    (["--listen", "0.0.0.0:5004"], 64, "--listen is 0.0.0.0:5004"),
    (
      ["--listen", "127.0.0.1:5004", "--peer", "localhost:5006"], 64,
      "--peer is localhost:5006"
    ),
  ]

  @Test(arguments: refusals)
  func `it takes loopback addresses only`(
    arguments: [String], code: Int32, words: String
  ) async throws {
    let outcome = try await Program.run("comlinkd-clear", arguments)
    #expect(outcome.code == code)
    #expect(
      outcome.complaint.contains(
        "\(words), but this program is for tests on loopback addresses only"))
  }

  @Test func `it says that media are in clear, and makes no control connections`() async throws {
    let folder = try TestFolder()
    let path = "\(folder.path)/c.sock"
    let daemon = try Program(
      "comlinkd-clear", ["--control", path, "--listen", "127.0.0.1:0", "--state", ""])
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(daemon.complaint.contains("media are not encrypted"))
    let answer = try await Program.run("comlink", ["peers", "--control", path])
    #expect(answer.code == 65 && answer.complaint.contains("this node is in a rehearsal"))
    kill(daemon.identifier, SIGTERM)
    #expect(try await daemon.outcome().code == 0)
  }
}
