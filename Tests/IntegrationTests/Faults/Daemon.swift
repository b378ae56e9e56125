import Glibc
import Remote
import StatusSchema

@testable import TestRig

/// A `comlinkd` with arguments of a test's own, for starts that are meant to go wrong.
struct Daemon {
  let process: ChildProcess
  let controlPath: String

  /// Starts it with a control socket in the folder and a JACK server that does not exist.
  ///
  /// - Parameter wrapper: a program and its arguments that start the daemon in turn.
  init(
    _ label: String, _ arguments: [String], wrapper: [String] = [], in directory: TemporaryDirectory
  ) throws(RigError) {
    controlPath = directory.file("\(label).control")
    let standard = ["--control", controlPath, "--jack-server", "none-\(getpid())"]
    let words = wrapper + [try Executables.path(of: "comlinkd")] + standard + arguments
    process = try ChildProcess(
      words[0], Array(words.dropFirst()),
      environment: ["HOME": directory.path, "STATE_DIRECTORY": directory.file("\(label).state")],
      outputPath: directory.file("\(label).log"))
  }

  /// Runs one to its end; there it is what it said.
  static func run(
    _ arguments: [String], in directory: TemporaryDirectory
  ) throws(RigError) -> (code: Int32, words: String) {
    let daemon = try Daemon("run-\(UInt32.random(in: .min ... .max))", arguments, in: directory)
    return (try daemon.process.wait(within: 20), daemon.process.output)
  }

  /// Asks for the status.
  ///
  /// - Throws: `RigError.status`, or that it has ended.
  func status() throws(RigError) -> Status {
    try process.checkRunning()
    do {
      var remote = try ControlClient(path: controlPath)
      guard case .status(let status) = try remote.request(.status) else {
        throw RemoteError.malformed("no status")
      }
      return status
    } catch {
      throw .status(reason: "\(error)")
    }
  }

  /// Asks it for something.
  ///
  /// - Throws: `RigError.status` where it refuses.
  @discardableResult
  func ask(_ request: ControlRequest) throws(RigError) -> ControlResponse {
    try process.checkRunning()
    let answer: ControlResponse
    do {
      var remote = try ControlClient(path: controlPath)
      answer = try remote.request(request)
    } catch {
      throw .status(reason: "\(error)")
    }
    if case .error(let words) = answer { throw .status(reason: words) }
    return answer
  }

  /// Whom it knows.
  func known() throws(RigError) -> [KnownNodeStatus] {
    guard case .knownNodes(let known) = try ask(.peers) else {
      throw .status(reason: "no known nodes")
    }
    return known
  }

  /// Waits until it answers.
  func waitUntilReady() throws(RigError) {
    try waitUntil("an answer", within: 20, detail: { process.outputTail() }) {
      () throws(RigError) in
      try process.checkRunning()
      return (try? status()) != nil
    }
  }

  /// Waits until it has said so.
  func waitUntilSaid(_ words: String, within seconds: Double = 20) throws(RigError) {
    try waitUntil("the words \"\(words)\"", within: seconds, detail: { process.output }) {
      () throws(RigError) in
      process.output.contains(words)
    }
  }
}
