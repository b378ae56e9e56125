import Foundation
import ControlSocket
import Remote
import StatusSchema
import Testing

/// `comlink status --watch` in a terminal.
@Suite(.timeLimit(.minutes(2))) struct LiveStatusTests {
  private struct Node: ControlHandler {
    func handle(_ request: ControlRequest) async -> ControlResponse { .ok }

    func pictures() -> AsyncStream<NodePicture>? { TickingNode().pictures() }
  }

  private let folder: TestFolder
  private let terminal: PseudoTerminal
  private var path: String { "\(folder.path)/c.sock" }

  init() throws {
    folder = try TestFolder()
    terminal = try #require(PseudoTerminal(columns: 80, rows: 24))
  }

  private func watch() throws -> Program {
    try Program(
      "comlink", ["status", "--watch", "--control", path],
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"], terminal: terminal.end)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends it, and the terminal is as before`(signal: Int32) async throws {
    let server = try ControlServer(path: path, handler: Node())
    defer { server.stop() }
    let program = try watch()
    try await terminal.wait(for: "talk off")
    #expect(terminal.text.hasPrefix(ScreenText.enter))
    kill(program.identifier, signal)
    #expect(try await program.outcome().code == 128 + signal)
    #expect(terminal.text.hasSuffix(ScreenText.leave))
  }

  @Test func `the key q ends it in order, and keys are echoed again`() async throws {
    let server = try ControlServer(path: path, handler: Node())
    defer { server.stop() }
    let program = try watch()
    try await terminal.wait(for: "talk off")
    terminal.type("xq")
    #expect(try await program.outcome().code == 0)
    #expect(terminal.text.hasSuffix(ScreenText.leave))
    terminal.type("hello")
    try await terminal.wait(for: ScreenText.leave + "hello")
  }

  @Test func `a daemon that goes is told, and seen again when it is back`() async throws {
    let first = try ControlServer(path: path, handler: Node())
    let program = try watch()
    try await terminal.wait(for: "talk off")
    first.stop()
    try await terminal.wait(for: "trying again")
    let before = terminal.text.count
    let second = try ControlServer(path: path, handler: Node())
    defer { second.stop() }
    while !terminal.text.dropFirst(before).contains("talk off") {
      try await Task.sleep(for: .milliseconds(10))
    }
    terminal.type("q")
    #expect(try await program.outcome().code == 0)
  }

  @Test func `it fits itself to the terminal when that changes`() async throws {
    let server = try ControlServer(path: path, handler: Node())
    defer { server.stop() }
    let program = try watch()
    try await terminal.wait(for: "127.0.0.1:5004")
    let before = terminal.text.count
    terminal.resize(columns: 30, rows: 8)
    kill(program.identifier, SIGWINCH)
    // The meter of the microphone is 19 columns now.
    while !terminal.text.dropFirst(before).contains("\(String(repeating: "·", count: 19))\u{1B}") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(!terminal.text.dropFirst(before).contains("127.0.0.1:5004"))
    terminal.type("q")
    #expect(try await program.outcome().code == 0)
  }
}
