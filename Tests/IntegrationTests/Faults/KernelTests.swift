import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// Kernels that are older than this one, and kernels that have io_uring switched off: strace answers in their place.
  @Suite(.enabled(if: SystemCallTrace.isPermitted, "strace is missing or may not trace here"))
  struct KernelTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    private func daemon(setupAnswers answer: String) throws(RigError) -> Daemon {
      try Daemon(
        "N", ["--listen", "127.0.0.1:0"],
        wrapper: [
          "strace", "-f", "-qq", "-o", directory.file("trace"), "-e", "trace=io_uring_setup", "-e",
          "inject=io_uring_setup:\(answer)",
        ], in: directory)
    }

    @Test(arguments: [
      ("error=EINVAL:when=1", "SINGLE_ISSUER, COOP_TASKRUN"),
      ("error=EINVAL:when=1..2", "no SINGLE_ISSUER"),
    ])
    func `a kernel without the newest ways of completion is used as it is, and told`(
      answer: String, mode: String
    ) throws {
      let daemon = try daemon(setupAnswers: answer)
      try daemon.waitUntilReady()
      #expect(daemon.process.output.contains(mode), "\(daemon.process.output)")
      let wakes = try daemon.status().loop.wakes
      try waitUntil("the media loop to turn", within: 20) { () throws(RigError) in
        try daemon.status().loop.wakes > wakes + 10
      }
    }

    @Test(arguments: [
      ("error=EINVAL", "is too old: io_uring as comlinkd uses it needs Linux 6.0 or newer"),
      (
        "error=EPERM",
        "io_uring is switched off for this process: see `sysctl kernel.io_uring_disabled`"
      ),
      ("error=ENOSYS", "has no io_uring"),
    ])
    func `a kernel without io_uring ends the start with words`(
      answer: String, words: String
    ) throws {
      let daemon = try daemon(setupAnswers: answer)
      #expect(try daemon.process.wait(within: 20) == 78)
      #expect(daemon.process.output.contains(words), "\(daemon.process.output)")
    }
  }
}
