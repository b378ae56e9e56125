import Foundation
import Glibc
import TestRig
import Testing

/// Nodes on two hosts find each other for real.
@Suite(.serialized, .enabled(if: DiscoveryHosts.isPermitted, "\(DiscoveryHosts.reason)"))
struct DiscoveryNetworkTests {
  private let hosts: DiscoveryHosts

  init() throws { hosts = try DiscoveryHosts() }

  /// Which of the two hosts have avahi-daemon.
  enum Daemons: String, CaseIterable {
    case neither
    case both
    case first

    func isOn(_ side: Int) -> Bool { self == .both || (self == .first && side == 0) }
    func backend(_ side: Int) -> String { isOn(side) ? "avahi-daemon" : "in-process" }
  }

  private func startDaemons(_ daemons: Daemons) throws -> [ChildProcess] {
    try (0...1).filter(daemons.isOn).flatMap {
      let bus = try hosts.startBus($0)
      return [bus, try hosts.startAvahi($0)]
    }
  }

  @Test(arguments: Daemons.allCases)
  func `two nodes find each other, hear of changes and of the end`(daemons: Daemons) throws {
    let running = try startDaemons(daemons)
    defer { for process in running.reversed() { process.terminate() } }
    let one = try hosts.startNode(0, name: "Stage left", groups: "1,2")
    usleep(300_000)
    let other = try hosts.startNode(1, name: "Bühne", groups: "2,3")
    #expect(try one.line { $0 == "backend \(daemons.backend(0))" }.milliseconds > 0)
    #expect(try other.line { $0 == "backend \(daemons.backend(1))" }.milliseconds > 0)

    // Both kinds of addresses, the one of a link with its scope.
    let isWhole = { (words: String) in words.contains("10.99.0.") && words.contains("[fe80:") }
    let found = try other.line { $0.hasPrefix("found 1 shares") && isWhole($0) }
    let seen = try one.line { $0.hasPrefix("found 2 shares") && isWhole($0) }
    #expect(found.words.hasPrefix("found 1 shares 10.99.0.1:5001,[fe80:"))
    #expect(found.words.hasSuffix(" 0.1 Stage left"))
    #expect(found.words.contains("%"))
    #expect(seen.words.hasSuffix(" 0.1 Bühne"))
    let (finding, being) = (
      found.milliseconds - max(other.started, one.started), seen.milliseconds - other.started
    )
    print(
      "avahi-daemon on \(daemons.rawValue): finds after \(finding) ms, is found after \(being) ms")
    #expect(finding <= 2000 && being <= 2000)

    if daemons != .first {
      try hearsChanges(of: one, other, isWithPort: daemons == .neither)
    }

    let time = try one.tell("stop")
    let lost = try other.line(since: time) { $0 == "lost 1" }
    let stopped = try one.line(since: time) { $0 == "stopped" }
    print(
      "  lost after \(lost.milliseconds - time) ms, stopped after \(stopped.milliseconds - time) ms"
    )
    // A goodbye is believed after one second (RFC 6762 §10.1).
    #expect(lost.milliseconds - time < 2000)
    #expect(stopped.milliseconds - time < 1000)
  }

  private func hearsChanges(of one: DiscoveryNode, _ other: DiscoveryNode, isWithPort: Bool) throws
  {
    var time = try one.tell("name Stage right")
    let renamed = try other.line(since: time) {
      $0.hasPrefix("found 1 shares") && $0.hasSuffix(" Stage right")
    }
    print("  a name is heard after \(renamed.milliseconds - time) ms")
    time = try one.tell("groups 9")
    try other.line(since: time) { $0.hasPrefix("found 1 stranger") }
    // In all this it was never away.
    #expect(!other.lines.contains { $0.words == "lost 1" })
    if isWithPort {
      time = try one.tell("port 6001")
      try other.line(since: time) { $0.hasPrefix("found 1 stranger 10.99.0.1:6001") }
    }
  }

  @Test(arguments: [Daemons.neither, .both])
  func `addresses change, interfaces come and go`(daemons: Daemons) throws {
    let running = try startDaemons(daemons)
    defer { for process in running.reversed() { process.terminate() } }
    let (one, other) = (try hosts.startNode(0, name: "A"), try hosts.startNode(1, name: "B"))
    try other.line { $0.hasPrefix("found 1 shares 10.99.0.1:5001,[fe80:") }

    var time = monotonicNanoseconds() / 1_000_000
    try hosts.ip(0, "addr", "del", "10.99.0.1/16", "dev", "eth0")
    try hosts.ip(0, "addr", "add", "10.99.0.7/16", "dev", "eth0")
    let moved = try other.line(since: time, within: 10) { $0.contains("10.99.0.7:5001") }
    print(
      "avahi-daemon on \(daemons.rawValue): an address is heard of after \(moved.milliseconds - time) ms"
    )

    time = monotonicNanoseconds() / 1_000_000
    try hosts.ip(0, "link", "set", "eth0", "down")
    try one.line(since: time) { $0 == "lost 2" }
    // By its default settings avahi-daemon does not mind a cable that is pulled.
    if daemons == .neither { try other.line(since: time) { $0 == "lost 1" } }
    time = monotonicNanoseconds() / 1_000_000
    try hosts.ip(0, "link", "set", "eth0", "up")
    let back = try one.line(since: time, within: 10) { $0.hasPrefix("found 2 shares") }
    if daemons == .neither {
      try other.line(since: time, within: 10) { $0.hasPrefix("found 1 shares") }
    }
    print("  back after \(back.milliseconds - time) ms")
  }

  @Test func `avahi-daemon takes over when it comes, and is replaced when it dies`() throws {
    let (one, other) = (try hosts.startNode(0, name: "A"), try hosts.startNode(1, name: "B"))
    try one.line { $0 == "backend in-process" }
    try other.line { $0.hasPrefix("found 1") }
    let bus = try hosts.startBus(0)
    defer { bus.terminate() }
    let avahi = try hosts.startAvahi(0)
    defer { avahi.terminate() }
    // Without D-Bus at the start it is looked for every few seconds.
    try one.line(within: 20) { $0 == "backend avahi-daemon" }
    usleep(1_700_000)
    #expect(other.knows(1))
    let died = monotonicNanoseconds() / 1_000_000
    avahi.terminate()
    try one.line(since: died) { $0 == "backend none" }
    try one.line(since: died) { $0 == "backend in-process" }
    usleep(1_700_000)
    #expect(other.knows(1))
    // The one with the change knew the other all the time.
    #expect(!one.lines.contains { $0.words == "lost 2" })
  }
}
