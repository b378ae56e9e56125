import Foundation
import Testing

/// comlinkd in a network of its own, whose addresses come and go.
@Suite(
  .enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")),
  .timeLimit(.minutes(2)))
struct NetworkWatchTests {
  private static let change = "mesh: the network changed"

  private let folder: TestFolder
  private let daemon: Program

  init() async throws {
    folder = try TestFolder()
    let arguments = [
      "--control", "\(folder.path)/c.sock", "--listen", "127.0.0.1:0", "--state", "",
    ]
    daemon = try Program(
      "/usr/bin/unshare",
      ["-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh", Program.path(of: "comlinkd")]
        + arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// How often a change was told.
  private var changes: Int { daemon.complaint.components(separatedBy: Self.change).count - 1 }

  /// `ip` in the daemon's network, several commands at once.
  private func ip(_ commands: [String]) async throws {
    let script = commands.map { "ip \($0)" }.joined(separator: " && ")
    let outcome = try await Program.run(
      "/usr/bin/nsenter", ["-t", "\(daemon.identifier)", "-n", "sh", "-c", script],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    try #require(outcome.code == 0, "\(outcome.complaint)")
  }

  /// Waits for a change to be told, and then for what may follow it.
  private func changes(beyond before: Int) async throws -> Int {
    for _ in 0..<300 where changes == before { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(600))
    return changes - before
  }

  @Test func `an address that comes or goes is told, many at once are not told one by one`()
    async throws
  {
    #expect(changes == 0)
    var before = 0
    try await ip(["addr add 10.9.8.7/32 dev lo"])
    #expect(try await changes(beyond: before) == 1)
    before = changes
    try await ip((1...40).map { "addr add 10.9.9.\($0)/32 dev lo" })
    let burst = try await changes(beyond: before)
    #expect((1...4).contains(burst), "\(burst) for forty addresses")
    before = changes
    try await ip(["addr del 10.9.8.7/32 dev lo"])
    #expect(try await changes(beyond: before) == 1)
    before = changes
    try await ip(["link add veth9 type veth peer name veth8", "addr add 10.7.7.7/24 dev veth9"])
    try await Task.sleep(for: .seconds(1))
    #expect(changes == before, "an interface that is down leads nowhere")
    try await ip(["link set veth8 up", "link set veth9 up"])
    #expect(try await changes(beyond: before) >= 1)
  }

  @Test func `what anybody on the network can cause is no change`() async throws {
    try await ip(["addr add 10.9.8.7/32 dev lo"])
    #expect(try await changes(beyond: 0) == 1)
    // As a router's advertisement or a lease does: the same address lives longer.
    try await ip(
      (1...20).map { "addr change 10.9.8.7/32 dev lo valid_lft \(1000 + $0) preferred_lft 900" })
    try await Task.sleep(for: .seconds(1))
    #expect(changes == 1)
  }
}
