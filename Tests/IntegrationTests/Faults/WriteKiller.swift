import TestKit
import Testing

@testable import TestRig

/// Kills daemons, by strace, at each system call by which they change their state directory.
struct WriteKiller {
  /// A system call by its name and number, at which to kill.
  struct Point: CustomStringConvertible {
    var call: String
    var number: Int
    var description: String { "killed at \(call) \(number)" }
    /// For names and files.
    var label: String { "\(call.drop { $0 == "?" })-\(number)" }
  }

  /// What changes a directory or a file of it; strace counts the calls of each name by themselves, and passes over
  /// names with a question mark that the machine's kernel does not have.
  private static let calls = [
    "?mkdir", "mkdirat", "openat", "write", "fsync", "?renameat", "renameat2", "unlinkat",
  ]
  private static let files = [
    "lock", "identity", "instance-a", "instance-b", "groups", "mesh", "mix", "names", "ports",
  ]

  let directory: TemporaryDirectory

  /// Tries each call of each name until it is not made any more: all of them in the night, each fifth for a change.
  ///
  /// - Parameters:
  ///   - expected: how many calls there are at least, of all.
  ///   - killed: whether something was killed at a point.
  func killEverywhere(expected: Int, _ killed: (Point) throws -> Bool) throws {
    let step = Seeds.areAll ? 1 : 5
    var kills = 0
    for call in Self.calls {
      for number in stride(from: 1, through: 40, by: step) {
        guard try killed(Point(call: call, number: number)) else { break }
        kills += 1
      }
    }
    #expect(kills >= expected / step, "of \(expected) calls at least, each \(step)th")
  }

  /// Will kill a daemon that runs; returns once it watches it.
  func attachedTracer(
    to daemon: Daemon, _ label: String, at point: Point, files: [String] = files
  ) throws(RigError) -> ChildProcess {
    let tracer = try ChildProcess(
      "strace", options(label, at: point, files) + ["-p", "\(daemon.process.identifier)"],
      outputPath: directory.file("strace.log"))
    try waitUntil("strace to attach", within: 20, detail: { tracer.outputTail() }) {
      () throws(RigError) in
      try tracer.checkRunning()
      return tracer.output.contains("attached")
    }
    return tracer
  }

  /// Of strace: to kill whoever makes that call, if it touches the state directory.
  func options(
    _ label: String, at point: Point, _ files: [String] = files
  ) -> [String] {
    let state = directory.file("\(label).state")
    let paths = [state] + files.flatMap { ["\(state)/\($0)", "\(state)/\($0).new"] }
    return [
      "-f", "-e", "trace=\(point.call)", "-e",
      "inject=\(point.call):signal=SIGKILL:when=\(point.number)", "-o",
      directory.file("trace"),
    ] + paths.flatMap { ["-P", $0] }
  }
}
