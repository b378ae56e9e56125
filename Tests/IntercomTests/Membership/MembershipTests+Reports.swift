import Mesh
import Synchronization
import Testing

@testable import Intercom

/// What recurs is told now and then only.
extension MembershipTests {
  @Test func `peers that fail again and again are told once an hour each`() async throws {
    let membership = try membership()
    await membership.start()
    func fail() async throws {
      let peers = [try Self.node(8), try Self.node(9)]
      for peer in peers { await membership.perform(.rebuilt(.node(peer))) }
    }
    try await fail()
    #expect(reports.words.count == 2)
    time.pass(seconds: 3599)
    try await fail()
    #expect(reports.words.count == 2)
    time.pass(seconds: 2)
    try await fail()
    #expect(reports.words.count == 4)
  }

  /// A member that says again and again that it records, or does so no more.
  private func toggle(_ membership: Membership, to isRecording: Bool) async throws {
    let node = try Self.node(2)
    var profile = NodeProfile(
      name: "N2", mediaAddresses: [NodeAddress(.observed, port: 5004)])
    profile.isRecording = isRecording
    await membership.handle(
      .received(.hello(Hello(node: node, instance: 3, profile: profile, admits: true)), connection))
  }

  @Test func `a member that toggles its recording is told once a minute, and then as it is`()
    async throws
  {
    let (waits, wait) = AsyncStream.makeStream(of: Duration.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let membership = try membership(wait: { duration in
      // The mesh's own deadlines come more often.
      guard duration > .seconds(30) else { return try await Task.sleep(for: .seconds(10_000)) }
      wait.yield(duration)
      for await _ in ends { return }
    })
    await membership.start()
    try await join(membership, 2, connection)
    for number in 1...21 { try await toggle(membership, to: number % 2 == 1) }
    func told() -> [String] { reports.words.filter { $0.hasPrefix("recording") } }
    #expect(told().count == 1 && told()[0].contains("true"))
    try await toggle(membership, to: false)
    var waiting = waits.makeAsyncIterator()
    #expect(await waiting.next() == .seconds(60))
    time.pass(seconds: 60)
    end.yield()
    for _ in 0..<100_000 where told().count < 2 { await Task.yield() }
    #expect(told().count == 2 && told()[1].contains("false"))
  }
}
