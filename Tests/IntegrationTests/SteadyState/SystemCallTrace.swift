import Foundation
import Glibc

@testable import TestRig

/// The system calls of one thread of another program, as `strace` sees them.
struct SystemCallTrace {
  /// Whether strace is installed and may trace here.
  static let isPermitted: Bool = {
    guard let directory = try? TemporaryDirectory(prefix: "comlink-trace"),
      let sleeper = try? ChildProcess("sleep", ["100"], outputPath: directory.file("sleep.log"))
    else { return false }
    let trace = try? SystemCallTrace(
      ofThread: sleeper.identifier, seconds: 0.1, in: directory)
    return trace != nil
  }()

  /// One line a call, without those that strace itself interrupted.
  let calls: [Substring]

  /// Traces for a while; the thread runs slower meanwhile.
  ///
  /// - Throws: `RigError`.
  init(ofThread thread: Int32, seconds: Double, in directory: TemporaryDirectory) throws(RigError) {
    let path = directory.file("trace-\(thread)")
    let tracer = try ChildProcess(
      "strace", ["-p", "\(thread)", "-o", path], outputPath: directory.file("strace.log"))
    try waitUntil("strace to attach", within: 20, detail: { tracer.outputTail() }) {
      () throws(RigError) in
      try tracer.checkRunning()
      return tracer.output.contains("attached")
    }
    pause(seconds: seconds)
    tracer.send(signal: SIGINT)
    _ = try tracer.wait(within: 20)
    calls = (text(ofFile: path) ?? "").split(separator: "\n").filter {
      // Signals and ends; the call under way when strace came, and when it went.
      !$0.hasPrefix("---") && !$0.hasPrefix("+++") && !$0.hasPrefix("restart_syscall(")
        && !$0.contains("<detached ...>")
    }
  }

  /// How often each system call was made, by name.
  var counts: [String: Int] {
    calls.reduce(into: [:]) { $0[String($1.prefix { $0 != "(" }), default: 0] += 1 }
  }
}
