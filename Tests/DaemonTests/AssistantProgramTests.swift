import Foundation
import TestKit
import Testing

/// The assistant as a user has it: the daemon, the command, and a language model's server by hand.
@Suite(.timeLimit(.minutes(2))) struct AssistantProgramTests {
  private let folder: TestFolder
  private let model: ModelServer

  init() throws {
    folder = try TestFolder()
    model = try ModelServer()
  }

  private var state: String { "\(folder.path)/state" }

  private func started(_ more: [String] = []) async throws -> Program {
    let daemon = try Program(
      "comlinkd",
      [
        "--control", "\(folder.path)/control.sock", "--listen", "127.0.0.1:0",
        "--state", state, "--name", "stage", "--jack-server", "none-\(model.port)",
        "--no-discovery", "--assistant-url", "http://127.0.0.1:\(model.port)/v1",
      ] + more)
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  private func end(_ daemon: Program) async throws {
    kill(daemon.identifier, SIGTERM)
    #expect(try await daemon.outcome().code == 0)
  }

  private func assistant(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(
      "comlink", ["assistant"] + arguments + ["--control", "\(folder.path)/control.sock"])
  }

  /// Whether a text is in any file of the node's state.
  private func isOnDisk(_ text: String) throws -> Bool {
    let names = FileManager.default.enumerator(atPath: state)?.allObjects as? [String] ?? []
    return names.contains {
      let octets = FileManager.default.contents(atPath: "\(state)/\($0)")
      return octets?.range(of: Data(text.utf8)) != nil
    }
  }

  private var files: Set<String> {
    Set(FileManager.default.enumerator(atPath: state)?.allObjects as? [String] ?? [])
  }

  @Test func `nothing is said and nothing is kept before somebody agreed`() async throws {
    let daemon = try await started()
    let refused = try await assistant("ask", "Are you there?")
    #expect(refused.code == 65 && refused.complaint.contains("comlink assistant consent"))
    let terms = try await assistant("consent").output
    #expect(terms.contains("http://127.0.0.1:\(model.port)/v1, on this machine."))
    #expect(terms.contains("Nobody agreed yet"))
    #expect(model.requests.isEmpty)
    #expect(!files.contains { $0.hasPrefix("sessions.db") })
    try await end(daemon)
  }

  @Test func `a session is kept with title and summary, shown, and deleted for good`()
    async throws
  {
    model.answers = ["Anna and Bert are on it.", "Title: Line two\\nSummary: Who is on it."]
    var daemon = try await started()
    #expect(try await assistant("consent", "--keep").output.contains("sessions are kept"))
    let asked = try await assistant("ask", "Who is on line two?")
    #expect(asked.output == "Anna and Bert are on it.\n", "\(asked.complaint)")
    #expect(model.requests.first?.contains("Who is on line two?") == true)
    var list = ""
    while !list.contains("Line two") {
      list = try await assistant("sessions").output
      try await Task.sleep(for: .milliseconds(50))
    }
    try await end(daemon)
    #expect(try isOnDisk("Who is on line two?"))
    daemon = try await started()
    let id = String(list.prefix { $0 != " " })
    let shown = try await assistant("show", id).output
    #expect(shown.contains("Who is on it."))
    #expect(shown.contains("you: Who is on line two?"))
    #expect(shown.contains("assistant: Anna and Bert are on it."))
    #expect(try await assistant("delete", "--all").output == "1 session deleted\n")
    #expect(try !isOnDisk("Who is on line two?"))
    try await end(daemon)
    #expect(try !isOnDisk("Who is on line two?"))
  }

  @Test func `without a log calls work and leave no trace`() async throws {
    model.answers = ["Mellon is the word."]
    let daemon = try await started()
    _ = try await assistant("consent", "--forget")
    let before = files
    #expect(try await assistant("ask", "What is the word?").output == "Mellon is the word.\n")
    #expect(try await assistant("sessions").complaint.contains("no sessions are kept"))
    for text in ["What is the word?", "Mellon"] { #expect(try !isOnDisk(text)) }
    #expect(files == before)
    try await end(daemon)
    for text in ["What is the word?", "Mellon"] { #expect(try !isOnDisk(text)) }
    #expect(!daemon.complaint.contains("Mellon"))
  }

  @Test func `another place needs another agreement`() async throws {
    var daemon = try await started()
    _ = try await assistant("consent", "--keep")
    try await end(daemon)
    daemon = try await started(["--assistant-url", "http://127.0.0.1:\(model.port)/other"])
    #expect(try await assistant("ask", "Hello?").code == 65)
    #expect(model.requests.isEmpty)
    try await end(daemon)
  }

  @Test func `a call has turns, which the model is shown`() async throws {
    model.answers = ["Two.", "Three."]
    let daemon = try await started()
    _ = try await assistant("consent", "--forget")
    let id = try await assistant("call").output.trimmingCharacters(in: .newlines)
    #expect(try await assistant("say", id, "One plus one?").output == "Two.\n")
    #expect(try await assistant("say", id, "Plus one?").output == "Three.\n")
    let last = try #require(model.requests.last)
    #expect(last.contains("One plus one?") && last.contains("Two.") && last.contains("Plus one?"))
    #expect(try await assistant("status").output.contains("Assistant: listening"))
    #expect(try await assistant("end").code == 0)
    #expect(try await assistant("say", id, "More?").complaint.contains("this call is over"))
    try await end(daemon)
  }

  @Test func `a tool is used with the caller's rights, and told of`() async throws {
    model.raw = [
      #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"who_is_on_which_line","arguments":"{}"}}]}}]}"#
    ]
    model.answers = ["You are alone."]
    let daemon = try await started(["--assistant-tools", "lines"])
    _ = try await assistant("consent", "--forget")
    #expect(try await assistant("ask", "Who is there?").output == "You are alone.\n")
    #expect(model.requests.last?.contains("Line all: on it are this station.") == true)
    #expect(daemon.complaint.contains("the assistant uses a tool"))
    try await end(daemon)
  }

  @Test func `a server that is gone is told in words, and the node goes on`() async throws {
    let daemon = try await started(["--assistant-url", "http://127.0.0.1:1/v1"])
    _ = try await assistant("consent", "--forget")
    let failed = try await assistant("ask", "Hello?")
    #expect(failed.code == 65 && failed.complaint.contains("cannot be reached"))
    #expect(try await assistant("status").output.contains("cannot be reached"))
    try await end(daemon)
  }
}
