import Glibc
import Testing

@testable import TestRig

struct ChildProcessTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `output and status are kept`() throws {
    let child = try ChildProcess(
      "sh", ["-c", "echo $WORD; echo oops >&2; exit 3"], environment: ["WORD": "hello"],
      outputPath: directory.file("out"))
    #expect(try child.wait(within: 20) == 3)
    #expect(child.output == "hello\noops\n")
    #expect(throws: RigError.self) { try child.checkRunning() }
  }

  @Test func `the whole group ends with its owner`() throws {
    var child: ChildProcess? = try ChildProcess(
      "sh", ["-c", "trap '' TERM; sleep 1000 & echo $!; wait"], outputPath: directory.file("out"))
    let started = try #require(child)
    try waitUntil("the grandchild", within: 20) { () throws(RigError) in !started.output.isEmpty }
    let grandchild = try #require(Int32(started.output.dropLast()))
    #expect(started.terminate(within: 0.1) == nil)
    child = nil
    try waitUntil("the end of the grandchild", within: 20) { () throws(RigError) in
      // A dead one may stay a zombie where nobody reaps orphans.
      let state = text(ofFile: "/proc/\(grandchild)/stat")?.split(separator: ")").last
      return state.map { $0.hasPrefix(" Z") } ?? true
    }
  }

  @Test func `a missing program is named`() {
    let error = RigError.missing(
      what: "no-such-program", hint: "it is neither a file nor along PATH")
    #expect(throws: error) {
      try ChildProcess("no-such-program", [], outputPath: directory.file("out"))
    }
  }

  @Test func `children are not held up by signals the parent ignores`() throws {
    signal(SIGHUP, SIG_IGN)
    let child = try ChildProcess("sleep", ["1000"], outputPath: directory.file("out"))
    child.send(signal: SIGHUP)
    #expect(try child.wait(within: 20) == 128 + SIGHUP)
  }

  @Test func `cpu and memory of a process are read`() throws {
    let child = try ChildProcess(
      "sh", ["-c", "while :; do :; done"], outputPath: directory.file("out"))
    let before = try #require(ProcessUsage(of: child.identifier))
    try waitUntil("CPU use", within: 30) { () throws(RigError) in
      (ProcessUsage(of: child.identifier)?.cpuSeconds ?? 0) > before.cpuSeconds + 0.05
    }
    let after = try #require(ProcessUsage(of: child.identifier))
    #expect(after.cpuPercent(since: before) > 0)
    #expect(after.threads.map(\.name) == ["sh"])
    let whole = try #require(ProcessUsage.proportionalSetMegabytes(of: child.identifier))
    let part = try #require(
      ProcessUsage.proportionalSetMegabytes(of: child.identifier, excluding: ["/"]))
    #expect(part > 0)
    #expect(part < whole)
  }
}
