import Foundation
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// What a daemon says when it is told something that will not do.
  @Suite struct StartTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `a port that is in use is named with its address`() throws {
      let holder = try ForeignSocket()
      let end = try Daemon.run(["--listen", "127.0.0.1:\(holder.port)"], in: directory)
      #expect(end.code == 69)
      #expect(end.words.contains("UDP port \(holder.port) on 127.0.0.1 is in use"))
    }

    @Test func `a port where others take connections is named with its address`() throws {
      let holder = try ForeignSocket(listens: true)
      let end = try Daemon.run(["--listen", "127.0.0.1:\(holder.port)"], in: directory)
      #expect(end.code == 69)
      #expect(
        end.words.contains("cannot listen for control connections at 127.0.0.1:\(holder.port)"))
    }

    @Test func `an address of another machine is named`() throws {
      let end = try Daemon.run(["--listen", "192.0.2.1:5004"], in: directory)
      #expect(end.code == 69)
      #expect(end.words.contains("192.0.2.1 is not an address of this machine"))
    }

    @Test func `on a kernel without IPv6 the default station listens on IPv4, and says so once`()
      throws
    {
      let port = try LoopbackPorts.free(1)[0]
      let daemon = try Daemon(
        "N", ["--listen", "[::]:\(port)", "--no-discovery"], wrapper: try withoutIPv6,
        in: directory)
      defer { daemon.process.terminate() }
      try daemon.waitUntilReady()
      #expect(try daemon.status().node.listen == "0.0.0.0:\(port)")
      let told = daemon.process.output.split(separator: "\n").filter {
        $0.contains("event=no-ipv6")
      }
      #expect(told.count == 1, "\(daemon.process.output)")
    }

    @Test func `an IPv6 address on a kernel without IPv6 ends the start with words, and for good`()
      throws
    {
      let daemon = try Daemon(
        "N", ["--listen", "[::1]:0"], wrapper: try withoutIPv6, in: directory)
      // systemd.service: RestartPreventExitStatus has 78.
      #expect(try daemon.process.wait(within: 20) == 78)
      let words = daemon.process.output
      #expect(words.contains("this machine has no IPv6: cannot listen on [::1]:0"), "\(words)")
      #expect(words.contains("listen on IPv4 (0.0.0.0:0"), "\(words)")
    }

    private var withoutIPv6: [String] {
      get throws { ["env", "LD_PRELOAD=\(try Interposer.build("no_ipv6", in: directory))"] }
    }

    @Test func `a peer that cannot be looked up is named and the node runs without it`() throws {
      let daemon = try Daemon(
        "N", ["--listen", "127.0.0.1:0", "--peer", "nobody.invalid:5004"], in: directory)
      try daemon.waitUntilReady()
      try daemon.waitUntilSaid("the peer's host name does not resolve")
      let lines = daemon.process.output.split(separator: "\n")
      let line = try #require(lines.first { $0.contains("does not resolve") })
      #expect(line.contains("peer=nobody.invalid:5004"))
      #expect(try daemon.status().peers.isEmpty)
    }

    static let malformedPeers: [(text: String, words: String)] = [
      ("127.0.0.1", "write ADDRESS:PORT"),
      ("127.0.0.1:", "write ADDRESS:PORT"),
      ("127.0.0.1:70000", "port 70000"),
      ("127.0.0.1:-1", "“-1”"),
      ("127.0.0.300:5004", "127.0.0.300"),
      ("::1:5004", "brackets"),
      ("[::z]:5004", "not an IPv6 address"),
      ("one two:5004", "neither an address nor a host name"),
      (":5004", "no address before the port"),
    ]

    @Test(arguments: malformedPeers)
    func `a malformed peer is a usage error in words`(text: String, words: String) throws {
      let end = try Daemon.run(["--peer", text], in: directory)
      #expect(end.code == 64)
      #expect(end.words.contains("--peer"))
      #expect(end.words.contains(words))
    }

    @Test func `an unknown flag is named`() throws {
      let end = try Daemon.run(["--frobnicate"], in: directory)
      #expect(end.code == 64)
      #expect(end.words.contains("--frobnicate"))
    }

    static let mistakesInFiles: [(text: String, line: Int, words: String)] = [
      ("name = \"N\"\n\npeeer = []\n", 3, "unknown key \"peeer\"; did you mean \"peer\"?"),
      ("# a comment\nptime = 7\n", 2, "ptime"),
      ("bitrate = \"many\"\n", 1, "bitrate"),
      ("peer = [\n  \"127.0.0.1:5004\",\n  \"nonsense\",\n]\n", 1, "nonsense"),
      ("name = \"N\"\nlisten = \n", 2, "not TOML"),
      ("name = \"N\"\n[audio]\nptime = 5\n", 2, "unknown key \"audio\""),
    ]

    @Test(arguments: mistakesInFiles)
    func `a mistake in a file is named with its line`(
      text: String, line: Int, words: String
    ) throws {
      let path = directory.file("c.toml")
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let end = try Daemon.run(["--config", path], in: directory)
      #expect(end.code == 78)
      #expect(end.words.contains("\(path):\(line): "), "\(end.words)")
      #expect(end.words.contains(words), "\(end.words)")
    }
  }
}
