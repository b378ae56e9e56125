import Foundation
import Testing

@testable import TestRig

/// The demo fails when it should, and leaves nothing.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DemoTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

  /// Starts it with its folders in ours; periods of 256, as the machine may be busy.
  private func demo(wrapper: [String] = []) throws -> ChildProcess {
    let command =
      wrapper + [
        try Executables.path(of: "comlink-bench"), "demo", "--seconds", "5", "--period", "256",
        "--wav", directory.file("heard.wav"),
      ]
    return try ChildProcess(
      command[0], Array(command.dropFirst()), environment: ["TMPDIR": directory.path],
      outputPath: directory.file("demo.log"))
  }

  private func wait(for words: String, of demo: ChildProcess) throws {
    try waitUntil("\"\(words)\"", within: 60, detail: { demo.outputTail() }) {
      () throws(RigError) in
      try demo.checkRunning()
      return demo.output.contains(words)
    }
  }

  /// Command lines with the names of that demo's JACK servers.
  private static func processes(of demo: Int32) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.filter { Int32($0) != nil }.compactMap { text(ofFile: "/proc/\($0)/cmdline") }
      .filter { $0.contains("-\(demo)-") }
  }

  @Test(.enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
  func `a talk that is cut off fails it, with words`() throws {
    let demo = try demo(wrapper: [
      "unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh",
    ])
    try wait(for: "1/5 s", of: demo)
    let cut = try ChildProcess(
      "nsenter", ["-t", "\(demo.identifier)", "-n", "ip", "link", "set", "lo", "down"],
      outputPath: directory.file("cut.log"))
    #expect(try cut.wait(within: 10) == 0, "\(cut.output)")
    #expect(try demo.wait(within: 60) == 1)
    #expect(
      demo.output.contains("FAILED: the speech did not arrive intelligibly"), "\(demo.output)")
  }

  @Test func `Ctrl-C ends it with its servers, nodes and folders`() throws {
    let demo = try demo()
    try wait(for: "all three are connected", of: demo)
    #expect(Self.processes(of: demo.identifier).count >= 6)
    demo.send(signal: SIGINT)
    #expect(try demo.wait(within: 30) == 128 + SIGINT)
    // What it did not end itself the kernel does, as its parent is gone.
    try waitUntil("the end of its programs", within: 10) { () throws(RigError) in
      Self.processes(of: demo.identifier).isEmpty
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(left == ["demo.log"])
    let shared = try FileManager.default.contentsOfDirectory(atPath: "/dev/shm")
    #expect(shared.filter { $0.contains("-\(demo.identifier)-") }.isEmpty)
  }
}
