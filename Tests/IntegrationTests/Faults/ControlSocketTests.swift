import Glibc
import Testing

@testable import TestRig

extension FaultTests {
  /// The control socket is for its owner and group, for one daemon, and for its time.
  @Suite struct ControlSocketTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    private static func mode(of path: String) -> mode_t? {
      var facts = stat()
      return unsafe lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
    }

    @Test func `nobody beside owner and group may use it and it goes with its daemon`() throws {
      let daemon = try Daemon("N", ["--listen", "127.0.0.1:0"], in: directory)
      try daemon.waitUntilReady()
      let mode = try #require(Self.mode(of: daemon.controlPath))
      #expect(mode & ~0o660 == 0)
      daemon.process.terminate()
      #expect(Self.mode(of: daemon.controlPath) == nil)
      #expect(daemon.process.endStatus == 0)
    }

    @Test func `a second daemon is refused in words and the first stays`() throws {
      let first = try Daemon("N", ["--listen", "127.0.0.1:0"], in: directory)
      try first.waitUntilReady()
      let second = try Daemon.run(
        ["--listen", "127.0.0.1:0", "--control", first.controlPath], in: directory)
      #expect(second.code == 69)
      #expect(second.words.contains("another comlinkd answers at \(first.controlPath)"))
      _ = try first.status()
    }
  }
}
