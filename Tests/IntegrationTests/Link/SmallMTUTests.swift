import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

/// Ways that take less than their ends know of, as a tunnel of a router's does, where nobody tells the ends.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct SmallMTUTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

  /// 1280 is the least that IPv6 asks of a way, 1420 what WireGuard leaves.
  @Test(arguments: [1280, 1420])
  func `nodes connect over a way that drops what is longer, and says nothing`(
    octets: Int
  ) throws {
    let way = try NarrowWay(octets: octets, in: directory)
    let a = try node("A", ["--listen", "0.0.0.0:5004"], way)
    let b = try node("B", ["--listen", "0.0.0.0:5004", "--peer", "\(way.address(0)):5004"], way)
    for (node, other) in [(a, "B"), (b, "A")] {
      // A handshake takes less than 5 s, or the next attempt would not go better.
      try waitUntil("\(other) to be a member", within: 15, detail: { node.process.output }) {
        () throws(RigError) in
        try node.process.checkRunning()
        return (try? node.known().first { $0.name == other })?.state == "member"
      }
    }
  }

  private func node(_ name: String, _ arguments: [String], _ way: NarrowWay) throws -> Daemon {
    try Daemon(
      name, ["--name", name, "--policy", "open", "--no-discovery"] + arguments,
      wrapper: ["ip", "netns", "exec", way.namespace(name == "A" ? 0 : 1)], in: directory)
  }
}

/// Two hosts at a bridge, one of whose ports takes less than the hosts' own.
private final class NarrowWay {
  private let tag = "cm\(getpid() % 100_000)"
  private let directory: TemporaryDirectory
  private var made: [String] = []

  init(octets: Int, in directory: TemporaryDirectory) throws {
    self.directory = directory
    for name in [namespace(0), namespace(1), "\(tag)s"] {
      try run("ip", "netns", "add", name)
      made.append(name)
    }
    let bridge = "\(tag)s"
    try run("ip", "-n", bridge, "link", "add", "name", "br0", "type", "bridge")
    try run("ip", "-n", bridge, "link", "set", "br0", "up")
    for index in 0...1 {
      let host = namespace(index)
      try run(
        "ip", "-n", host, "link", "add", "eth0", "type", "veth", "peer", "name", "p\(index)",
        "netns",
        bridge)
      try run("ip", "-n", bridge, "link", "set", "p\(index)", "master", "br0")
      try run("ip", "-n", bridge, "link", "set", "p\(index)", "up")
      try run("ip", "-n", host, "link", "set", "lo", "up")
      try run("ip", "-n", host, "link", "set", "eth0", "up")
      try run("ip", "-n", host, "address", "add", "\(address(index))/24", "dev", "eth0")
    }
    try run("ip", "-n", bridge, "link", "set", "p1", "mtu", "\(octets)")
  }

  deinit {
    for name in made { try? run("ip", "netns", "del", name) }
  }

  func namespace(_ index: Int) -> String { "\(tag)\(index)" }

  func address(_ index: Int) -> String { "10.66.0.\(index + 1)" }

  private func run(_ words: String...) throws {
    let command = try ChildProcess(
      words[0], Array(words.dropFirst()), outputPath: directory.file("ip.log"))
    let status = try command.wait(within: 10)
    guard status == 0 else {
      throw RigError.ended(
        command: command.command, status: status, output: command.outputTail())
    }
  }
}
