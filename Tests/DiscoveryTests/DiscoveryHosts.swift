import Foundation
import Glibc
import Synchronization
import TestRig

/// Two hosts on one wire: network namespaces of this process's own, each with avahi-daemon or without.
final class DiscoveryHosts: Sendable {
  /// Whether this process may make some, and what it starts there is installed.
  static let isPermitted: Bool =
    geteuid() == 0
    && AvahiHost.programs.allSatisfy { ChildProcess.path(of: $0) != nil }
    && (try? run("ip", "netns", "add", probe)) != nil
    && (try? run("ip", "netns", "del", probe)) != nil
  static let reason = "needs root, network namespaces, iproute2, dbus-daemon and avahi-daemon"

  private static let probe = "comlink-dsc\(getpid())p"
  private static let number = Atomic(0)

  let directory: TemporaryDirectory
  private let name: String
  private let daemons: [AvahiHost]

  init() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-dsc")
    let name = "dsc\(getpid() % 100_000)n\(Self.number.add(1, ordering: .relaxed).newValue)"
    (self.directory, self.name) = (directory, name)
    daemons = (0...1).map { side in
      AvahiHost(namespace: "comlink-\(name)\(side)", label: "host\(side)", in: directory)
    }
    for side in 0...1 {
      try Self.run("ip", "netns", "add", namespace(side))
      // Duplicates are not looked for, which would take a second or two.
      try Self.run(
        "ip", "netns", "exec", namespace(side), "sh", "-c",
        "echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad && ip link set lo up")
    }
    try addWire("eth0", network: "10.99.0")
  }

  /// Joins the hosts by one more wire; the first's address ends in 1, the second's in 2.
  func addWire(_ device: String, network: String) throws {
    try Self.run(
      "ip", "link", "add", device, "netns", namespace(0), "type", "veth", "peer", "name", device,
      "netns", namespace(1))
    for side in 0...1 {
      try ip(side, "addr", "add", "\(network).\(side + 1)/16", "dev", device)
      try ip(side, "link", "set", device, "up")
    }
    let ready = monotonicNanoseconds() + 5_000_000_000
    while monotonicNanoseconds() < ready, try !hasAddress(device) { usleep(20_000) }
  }

  deinit {
    for side in 0...1 { _ = try? Self.run("ip", "netns", "del", namespace(side)) }
  }

  private func hasAddress(_ device: String) throws -> Bool {
    try (0...1).allSatisfy {
      try Self.run("ip", "-n", namespace($0), "-6", "addr", "show", "dev", device, "-tentative")
        .contains("fe80")
    }
  }

  func namespace(_ side: Int) -> String { "comlink-\(name)\(side)" }

  /// `ip` in a host.
  func ip(_ side: Int, _ arguments: String...) throws {
    try Self.run(["ip", "-n", namespace(side)] + arguments)
  }

  /// dbus-daemon of a host.
  func startBus(_ side: Int) throws -> ChildProcess { try daemons[side].startBus() }

  /// avahi-daemon of a host whose D-Bus runs.
  func startAvahi(_ side: Int) throws -> ChildProcess { try daemons[side].startAvahi() }

  /// A node on a host.
  func startNode(_ side: Int, name: String, groups: String = "1") throws -> DiscoveryNode {
    try DiscoveryNode(
      ["ip", "netns", "exec", namespace(side)], number: side + 1, name: name, groups: groups,
      environment: daemons[side].environment, outputPath: directory.file("node\(side).log"))
  }

  @discardableResult
  static func run(_ words: String...) throws -> String { try run(words) }

  @discardableResult
  private static func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ChildProcess.path(of: words[0]) ?? words[0])
    process.arguments = Array(words.dropFirst())
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RigError.launch(command: words.joined(separator: " "), reason: text)
    }
    return text
  }
}
