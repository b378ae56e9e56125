import Foundation
import Glibc
import TestRig
import Testing

/// What others on the wire, or a sick avahi-daemon, can do to a node that discovers.
@Suite(.serialized, .enabled(if: DiscoveryHosts.isPermitted, "\(DiscoveryHosts.reason)"))
struct DiscoveryNetworkAttackTests {
  private let hosts: DiscoveryHosts

  init() throws { hosts = try DiscoveryHosts() }

  @Test(arguments: [false, true])
  func `10 000 hostile announcements cost little, and a true node is still found`(
    hasDaemon: Bool
  ) throws {
    let running = hasDaemon ? [try hosts.startBus(0), try hosts.startAvahi(0)] : []
    defer { for process in running.reversed() { process.terminate() } }
    let one = try hosts.startNode(0, name: "A")
    try one.line { $0 == "backend \(hasDaemon ? "avahi-daemon" : "in-process")" }
    usleep(500_000)
    let before = try memory(of: one)
    let flood = try ChildProcess(
      "ip",
      [
        "netns", "exec", hosts.namespace(1), try Executables.path(of: "comlink-discover"), "flood",
        "10000", "10.99.0.2",
      ], outputPath: hosts.directory.file("flood.log"))
    #expect(try flood.wait(within: 30) == 0)
    let counters = try countersOnceReached(one)
    let grown = try memory(of: one) - before
    let busy = try processorMilliseconds(of: one)
    let passed = monotonicNanoseconds() / 1_000_000 - one.started
    print("a flood: \(grown) KiB more, \(busy) of \(passed) ms of CPU, \(counters)")
    #expect(grown < 32 << 10)
    // Each by itself, whatever came before: 0.2 ms were seen. What grew with their number would take minutes.
    #expect(busy < 10_000)
    let other = try hosts.startNode(1, name: "B")
    // avahi-daemon holds 4096 records, and has to let some of the flood's go first.
    let found = try one.line(within: hasDaemon ? 60 : 15) { $0.hasPrefix("found 2 shares") }
    print("  a true node is found after \(found.milliseconds - other.started) ms")
    #expect(one.process.isRunning)
  }

  @Test func `names that are aliases without end do not end the node`() throws {
    let one = try hosts.startNode(0, name: "A")
    try one.line { $0 == "backend in-process" }
    usleep(500_000)
    let attack = try ChildProcess(
      "ip",
      [
        "netns", "exec", hosts.namespace(1), try Executables.path(of: "comlink-discover"),
        "aliases", "24", "10.99.0.2",
      ], outputPath: hosts.directory.file("aliases.log"))
    #expect(try attack.wait(within: 60) == 0)
    #expect(one.process.isRunning)
    let other = try hosts.startNode(1, name: "B")
    try one.line(within: 15) { $0.hasPrefix("found 2 shares") }
    try other.line(within: 15) { $0.hasPrefix("found 1 shares") }
  }

  @Test func `a node that ran out of descriptors for a while finds the others again`() throws {
    let (one, other) = (try hosts.startNode(0, name: "A"), try hosts.startNode(1, name: "B"))
    try one.line { $0.hasPrefix("found 2 shares") }
    func limitDescriptors(to count: Int) throws {
      try DiscoveryHosts.run(
        "prlimit", "--pid", "\(one.process.identifier)", "--nofile=\(count):")
    }
    // Fewer than it polls: what it waits by fails, and so does what it would begin anew with.
    try limitDescriptors(to: 3)
    let time = try one.tell("name C")
    try one.line(since: time) { $0.hasPrefix("problem") && $0.contains("restarts") }
    try one.line(since: time) { $0 == "lost 2" }
    try limitDescriptors(to: 1024)
    try one.line(since: time, within: 20) { $0.hasPrefix("found 2 shares") }
    try other.line(since: time, within: 20) { $0.hasPrefix("found 1 shares") && $0.hasSuffix("C") }
  }

  @Test func `an avahi-daemon that hangs holds up neither the start nor the end`() throws {
    let bus = try hosts.startBus(0)
    let avahi = try hosts.startAvahi(0)
    defer { for process in [avahi, bus] { process.terminate() } }
    avahi.send(signal: SIGSTOP)
    let one = try hosts.startNode(0, name: "A")
    try one.line { $0 == "started" }
    usleep(500_000)
    let time = try one.tell("stop")
    let stopped = try one.line(since: time) { $0 == "stopped" }
    print("stopped beside a hung avahi-daemon after \(stopped.milliseconds - time) ms")
    #expect(stopped.milliseconds - time < 4000)
    avahi.send(signal: SIGCONT)
  }

  @Test func `an avahi-daemon that hung for a while is used again as if nothing had been`() throws {
    let bus = try hosts.startBus(0)
    let avahi = try hosts.startAvahi(0)
    defer { for process in [avahi, bus] { process.terminate() } }
    let (one, other) = (try hosts.startNode(0, name: "A"), try hosts.startNode(1, name: "B"))
    try one.line { $0.hasPrefix("found 2 shares") }
    try other.line { $0.hasPrefix("found 1 shares") }
    avahi.send(signal: SIGSTOP)
    try one.tell("name Renamed")
    usleep(2_000_000)
    avahi.send(signal: SIGCONT)
    try other.line(within: 15) { $0.hasPrefix("found 1 shares") && $0.hasSuffix(" Renamed") }
    #expect(one.process.isRunning && one.knows(2))
  }

  @Test(arguments: [false, true])
  func `a node on two wires is one node with the addresses of both, and stays while one is left`(
    hasDaemons: Bool
  ) throws {
    try hosts.addWire("eth1", network: "10.98.0")
    let running =
      hasDaemons
      ? try (0...1).flatMap { [try hosts.startBus($0), try hosts.startAvahi($0)] } : []
    defer { for process in running.reversed() { process.terminate() } }
    let (one, other) = (try hosts.startNode(0, name: "A"), try hosts.startNode(1, name: "B"))
    try other.line(within: 10) {
      $0.hasPrefix("found 1 shares") && $0.contains("10.99.0.1:5001")
        && $0.contains("10.98.0.1:5001")
    }
    let time = monotonicNanoseconds() / 1_000_000
    try hosts.ip(0, "link", "set", "eth0", "down")
    usleep(2_000_000)
    #expect(one.knows(2) && other.knows(1))
    #expect(!one.lines.contains { $0.words == "lost 2" && $0.milliseconds >= time })
    // By its default settings avahi-daemon does not mind a cable that is pulled.
    if !hasDaemons {
      try other.line(since: time, within: 10) {
        $0.hasPrefix("found 1 shares") && !$0.contains("10.99.0.1") && $0.contains("10.98.0.1:5001")
      }
    }
  }

  /// What a node counts once it has seen a hundred of the made up nodes.
  private func countersOnceReached(_ node: DiscoveryNode) throws -> String {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while true {
      let time = try node.tell("counters")
      let line = try node.line(since: time, within: 3) { $0.hasPrefix("counters") }
      let instances = line.words.firstMatch(of: /instances: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
      if instances >= 100 { return line.words }
      guard monotonicNanoseconds() < deadline else {
        throw DiscoveryNode.Missed(description: "the flood does not get there: \(line.words)")
      }
      usleep(500_000)
    }
  }

  /// Used since its start.
  private func processorMilliseconds(of node: DiscoveryNode) throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(node.process.identifier)/stat", encoding: .utf8)
    let fields = stat.split(separator: " ")
    let ticks = try #require(Int(fields[13])) + (try #require(Int(fields[14])))
    return ticks * 1000 / sysconf(Int32(_SC_CLK_TCK))
  }

  /// Resident memory in KiB.
  private func memory(of node: DiscoveryNode) throws -> Int {
    let status = try String(
      contentsOfFile: "/proc/\(node.process.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
