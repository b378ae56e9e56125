import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// `--start-jack`: the server is the daemon's own, from its first to its last moment.
  @Suite struct StartedServerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// Process ids of servers of that name.
    private static func servers(named name: String) -> [Int32] {
      guard let folder = unsafe opendir("/proc") else { return [] }
      defer { unsafe closedir(folder) }
      var result: [Int32] = []
      while let entry = unsafe readdir(folder) {
        let text = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard let identifier = Int32(text) else { continue }
        let words = TestRig.text(ofFile: "/proc/\(text)/cmdline")?.split(separator: "\0") ?? []
        if words.first?.hasSuffix("jackd") == true, words.contains(Substring(name)) {
          result.append(identifier)
        }
      }
      return result
    }

    @Test func `it starts a server and both end together in a moment`() throws {
      let name = "comlink-own-\(getpid())"
      var seconds: [Double] = []
      for _ in 0..<3 {
        let daemon = try Daemon(
          "N", ["--listen", "127.0.0.1:0", "--start-jack", "--jack-server", name], in: directory)
        try waitUntil("the daemon's own server", within: 40, detail: { daemon.process.output }) {
          () throws(RigError) in
          (try? daemon.status().audio.state) == .running
        }
        #expect(Self.servers(named: name).count == 1)
        #expect(daemon.process.output.contains("started jackd"))
        seconds.append(try #require(daemon.process.terminate(within: 5)))
        #expect(daemon.process.endStatus == 0)
        #expect(Self.servers(named: name).isEmpty)
      }
      #expect(seconds.sorted()[1] < 1, "\(seconds)")
    }

    @Test func `a server that dies is started again`() throws {
      let name = "comlink-again-\(getpid())"
      let daemon = try Daemon(
        "N", ["--listen", "127.0.0.1:0", "--start-jack", "--jack-server", name], in: directory)
      try waitUntil("the server", within: 40) { () throws(RigError) in
        (try? daemon.status().audio.state) == .running
      }
      let first = try #require(Self.servers(named: name).first)
      kill(first, SIGKILL)
      try waitUntil("another server", within: 40, detail: { daemon.process.output }) {
        () throws(RigError) in
        let servers = Self.servers(named: name)
        return servers.count == 1 && servers != [first]
          && (try? daemon.status().audio.state) == .running
      }
      #expect(daemon.process.output.contains("jackd ended (signal 9)"))
      #expect(daemon.process.terminate(within: 5) != nil)
      #expect(Self.servers(named: name).isEmpty)
    }
  }
}
