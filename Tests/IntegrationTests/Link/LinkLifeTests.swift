import Glibc
import Testing

@testable import TestRig

/// How the emulator starts and ends.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct LinkLifeTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory(prefix: "comlink-test")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends it within a second and leaves nothing behind`(signal: Int32) throws {
    let link = try LinkProcess(nodeCount: 3, ["--delay", "50"], in: directory)
    #expect(link.leavesSomething)
    let start = monotonicNanoseconds()
    link.process.send(signal: signal)
    #expect(try link.process.wait(within: 10) == 0)
    #expect(monotonicNanoseconds() - start < 1_000_000_000)
    #expect(!link.leavesSomething)
  }

  @Test func `what a killed one left is removed at the next start`() throws {
    let killed = try LinkProcess([], in: directory)
    killed.process.send(signal: SIGKILL)
    #expect(try killed.process.wait(within: 10) == 128 + SIGKILL)
    #expect(killed.leavesSomething)
    let next = try LinkProcess([], in: directory)
    #expect(!killed.leavesSomething)
    #expect(next.leavesSomething)
  }

  @Test func `a second one does not take the first one's nodes`() throws {
    let first = try LinkProcess([], in: directory)
    let second = try ChildProcess(
      try Executables.path(of: "comlink-link"),
      ["--nodes", first.nodes.joined(separator: ","), "--seconds", "1"],
      outputPath: directory.file("second.log"))
    #expect(try second.wait(within: 20) == 69)
    #expect(second.output.contains("another comlink-link has a node \(first.nodes[0])"))
    #expect(first.nodes.indices.allSatisfy { Namespace.exists(first.namespace($0)) })
    #expect(first.process.isRunning)
  }

  @Test func `a namespace that it did not make is left alone`() throws {
    let name = "f\(getpid() % 100_000)"
    try Self.ip("netns", "add", "comlink-\(name)", in: directory)
    defer { try? Self.ip("netns", "del", "comlink-\(name)", in: directory) }
    let link = try ChildProcess(
      try Executables.path(of: "comlink-link"), ["--nodes", "\(name),\(name)b"],
      outputPath: directory.file("link.log"))
    #expect(try link.wait(within: 20) == 69)
    #expect(link.output.contains("that comlink-link did not make"))
    #expect(Namespace.exists("comlink-\(name)"))
    #expect(!Namespace.exists("comlink-\(name)b"))
  }

  @Test func `it ends with its command, and as that did`() throws {
    let link = try LinkProcess(
      [], command: ["sh", "-c", "sleep 0.3; exit 7"], in: directory)
    #expect(try link.process.wait(within: 20) == 7)
    #expect(link.process.output.contains("added latency: "))
    #expect(!link.leavesSomething)
  }

  @Test func `it ends its command when it is ended`() throws {
    let file = directory.file("identifier")
    let link = try LinkProcess(
      [], command: ["sh", "-c", "echo $$ > \(file); exec sleep 60"], in: directory)
    try waitUntil("the command", within: 10) { () throws(RigError) in
      text(ofFile: file)?.hasSuffix("\n") == true
    }
    let identifier = try #require(Int32(text(ofFile: file)?.dropLast() ?? ""))
    #expect(kill(identifier, 0) == 0)
    #expect(link.end() != nil)
    #expect(kill(identifier, 0) == -1 && errno == ESRCH)
    #expect(!link.leavesSomething)
  }

  @Test func `it ends by itself after so many seconds`() throws {
    let link = try LinkProcess(["--seconds", "0.5"], in: directory)
    #expect(try link.process.wait(within: 10) == 0)
    #expect(!link.leavesSomething)
  }

  @Test func `without root it says so`() throws {
    let link = try ChildProcess(
      "setpriv",
      ["--reuid=65534", "--clear-groups", "--", try Executables.path(of: "comlink-link")]
        + ["--nodes", "a,b"],
      outputPath: directory.file("link.log"))
    #expect(try link.wait(within: 20) == 77)
    #expect(link.output.contains("network namespaces need root"))
  }

  private static func ip(_ arguments: String..., in directory: TemporaryDirectory) throws {
    let ip = try ChildProcess("ip", arguments, outputPath: directory.file("ip.log"))
    try #require(try ip.wait(within: 10) == 0, "\(ip.output)")
  }
}
