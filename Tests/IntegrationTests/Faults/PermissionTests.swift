import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// A daemon whose user may do nothing.
  @Suite(.enabled(if: getuid() == 0, "only root can give its rights up"))
  struct PermissionTests {
    private static let nobody: uid_t = 65534
    /// No rights of its own, no priority to take, and no more memory to lock than a kernel gives to
    /// anybody: io_uring's rings may count as such and need some of it, about 100 KiB.
    private static let wrapper = wrapper(lockableKilobytes: 1024)

    private static func wrapper(lockableKilobytes: Int) -> [String] {
      [
        "prlimit", "--rtprio=0", "--memlock=\(lockableKilobytes * 1024)", "--nice=0", "--",
        "setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", "--inh-caps=-all",
        "--bounding-set=-all", "--",
      ]
    }

    private let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      try #require(unsafe chown(directory.path, Self.nobody, Self.nobody) == 0)
    }

    @Test func `without rights it tells the lines that give them and goes on`() throws {
      let daemon = try Daemon(
        "N", ["--listen", "127.0.0.1:0"], wrapper: Self.wrapper, in: directory)
      try daemon.waitUntilReady()
      let words = daemon.process.output
      #expect(words.contains("no permission for real-time scheduling (SCHED_FIFO "))
      #expect(words.contains("no permission to lock memory"))
      #expect(words.contains("/etc/security/limits.d/95-comlink.conf"))
      let lines = words.split(separator: "\n")
      for line in ["@audio - rtprio 75", "@audio - memlock unlimited"] {
        #expect(lines.count { $0.hasSuffix("  \(line)") } == 1, "\(words)")
      }
      let status = try daemon.status()
      #expect(status.loop.scheduling == "other")
      #expect(!status.loop.memoryLocked)
      #expect(status.loop.wakes > 0)
    }

    @Test func `without rights two nodes still find each other`() throws {
      let ports = try LoopbackPorts.free(2)
      let a = try Daemon(
        "A", ["--name", "A", "--listen", "127.0.0.1:\(ports[0])", "--policy", "open"],
        wrapper: Self.wrapper,
        in: directory)
      let b = try Daemon(
        "B",
        [
          "--name", "B", "--listen", "127.0.0.1:\(ports[1])", "--peer", "127.0.0.1:\(ports[0])",
          "--policy", "open",
        ],
        wrapper: Self.wrapper, in: directory)
      try waitUntil("the connection", within: 20) { () throws(RigError) in
        let states = [try? a.status(), try? b.status()].map { $0?.peers.map(\.state) }
        return states.allSatisfy { $0 == [.connected] }
      }
    }

    @Test func `without any lockable memory it says what to raise`() throws {
      let daemon = try Daemon(
        "N", ["--listen", "127.0.0.1:0"], wrapper: Self.wrapper(lockableKilobytes: 0),
        in: directory)
      // Whether rings count as locked memory is the kernel's choice; where they do, Linux 6.18 refuses even a ring of
      // one entry in memory of ours.
      try waitUntil("an end or an answer", within: 20) { () throws(RigError) in
        !daemon.process.isRunning || (try? daemon.status()) != nil
      }
      if let code = daemon.process.endStatus {
        #expect(code == 71)
        #expect(daemon.process.output.contains("no memory for io_uring"))
        #expect(daemon.process.output.contains("/etc/security/limits.d/95-comlink.conf"))
        #expect(daemon.process.output.contains("@audio - memlock unlimited"))
      } else {
        #expect(try !daemon.status().loop.memoryLocked)
        #expect(daemon.process.output.contains("no permission to lock memory"))
        #expect(daemon.process.output.contains("/etc/security/limits.d/95-comlink.conf"))
        #expect(daemon.process.output.contains("@audio - memlock unlimited"))
      }
    }
  }
}
