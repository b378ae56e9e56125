import Foundation
import Testing

/// A program of this package (or any, by its whole path), run as a user runs it.
final class Program: Sendable {
  /// How it ended.
  struct Outcome: Sendable {
    let code: Int32
    let output: String
    let complaint: String
  }

  private let folder: TestFolder
  private let process = Process()
  private let ended: Task<Int32, any Error>

  var identifier: Int32 { process.processIdentifier }

  /// Starts it; the environment has nothing but what is given, and what systemd would set if its
  /// standard error were the journal; `terminal` takes what it writes, and has its keys.
  init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:],
    isJournal: Bool = false, terminal: FileHandle? = nil
  ) throws {
    folder = try TestFolder()
    process.executableURL = URL(filePath: Self.path(of: name))
    process.arguments = arguments
    process.environment = ["HOME": folder.path, "STATE_DIRECTORY": "\(folder.path)/state"]
      .merging(environment) { _, given in given }
    for file in ["output", "complaint"] {
      _ = FileManager.default.createFile(atPath: "\(folder.path)/\(file)", contents: nil)
    }
    if isJournal {
      var facts = stat()
      unsafe stat("\(folder.path)/complaint", &facts)
      process.environment?["JOURNAL_STREAM"] = "\(facts.st_dev):\(facts.st_ino)"
    }
    process.standardInput = terminal ?? FileHandle.nullDevice
    process.standardOutput = terminal ?? FileHandle(forWritingAtPath: "\(folder.path)/output")
    process.standardError = FileHandle(forWritingAtPath: "\(folder.path)/complaint")
    let (codes, continuation) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      continuation.yield(
        process.terminationReason == .exit
          ? process.terminationStatus : 128 + process.terminationStatus)
    }
    try process.run()
    ended = Task {
      for await code in codes { return code }
      throw CancellationError()
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var isRunning: Bool { process.isRunning }

  /// What it wrote to standard error so far.
  var complaint: String { contents(of: "complaint") }
  /// What it wrote to standard output so far, where that is no terminal.
  var output: String { contents(of: "output") }

  private func contents(of file: String) -> String {
    (try? String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)) ?? ""
  }

  /// Waits for its end.
  func outcome() async throws -> Outcome {
    let code = try await ended.value
    return Outcome(
      code: code, output: try String(contentsOfFile: "\(folder.path)/output", encoding: .utf8),
      complaint: complaint)
  }

  /// The file of a program of this package, or of any by its whole path.
  static func path(of name: String) -> String {
    let place = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return URL(filePath: name, relativeTo: place).path
  }

  /// Runs it to its end.
  static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Program(name, arguments, environment: environment).outcome()
  }
}
