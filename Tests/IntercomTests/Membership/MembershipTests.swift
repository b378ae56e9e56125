import Cryptography
import EventLoop
import Mesh
import StatusSchema
import Synchronization
import Testing

@testable import Intercom

/// What becomes of the mesh's decisions.
///
/// The set-up, and what becomes of members and their keys; the rest is in the extensions.
@Suite struct MembershipTests {
  let transport = FakeTransport()
  let media = FakeMedia()
  let reports = Reports()
  let time = Time()
  let connection = ConnectionID(rawValue: 7)

  final class Time: Sendable {
    let nanoseconds = Mutex<Int64>(1_000_000_000)
    @discardableResult
    func pass(seconds: Double) -> Int64 {
      nanoseconds.withLock {
        $0 += Int64(seconds * 1e9)
        return $0
      }
    }
  }

  final class Reports: Sendable {
    private let all = Mutex<[MembershipEvent]>([])
    func add(_ event: MembershipEvent) { all.withLock { $0.append(event) } }
    var words: [String] { all.withLock { $0.map { "\($0)" } } }
  }

  static func node(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: NodeID.byteCount)))
  }

  func membership(
    policy: AdmissionPolicy = .ask, resolve: [String: [SocketAddress]] = [:],
    store: @escaping @Sendable (MeshMemory) async -> String? = { _ in nil },
    rediscover: @escaping @Sendable (NodeID) -> Void = { _ in },
    // Nothing ever comes due.
    wait: @escaping @Sendable (Duration) async throws -> Void = { _ in
      try await Task.sleep(for: .seconds(10_000))
    }
  ) throws -> Membership {
    let reports = reports
    var parts = MembershipParts(
      transport: transport, takesIPv6: false, rediscover: rediscover, store: store,
      report: { reports.add($0) })
    parts.resolve = { name throws(AddressError) in
      guard let found = resolve[name] else {
        throw .unresolvable(text: name, host: name, reason: "no such host")
      }
      return found
    }
    return Membership(
      configuration: MeshConfiguration(
        node: try Self.node(1), instance: 5, profile: NodeProfile(name: "us"), policy: policy),
      media: media, parts: parts, now: { [time] in time.nanoseconds.withLock { $0 } },
      pause: { duration in
        // The lead of a key is over at once.
        if duration != Membership.keyLeadTime { try await wait(duration) }
      })
  }

  func join(
    _ membership: Membership, _ octet: UInt8, _ connection: ConnectionID, attempt: UInt64 = 0
  ) async throws {
    let node = try Self.node(octet)
    let remote = NodeAddress(.ipv4(0x0A00_0000 | UInt32(octet)), port: 40_000)
    await membership.handle(
      .accepted(
        OpenedConnection(connection: connection, node: node, provesGroup: true, remote: remote)))
    let profile = NodeProfile(
      name: "N\(octet)", mediaAddresses: [NodeAddress(.observed, port: 5004)])
    await membership.handle(
      .received(
        .hello(Hello(node: node, instance: 3, profile: profile, attempt: attempt, admits: true)),
        connection))
  }

  @Test func `a connection that takes another's place may send long messages too`() async throws {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection, attempt: 1)
    try await join(membership, 2, ConnectionID(rawValue: 8), attempt: 2)
    #expect(transport.words == ["raise 7", "close 7", "raise 8"])
  }

  @Test func `the lane of a member that leaves ends, and that of one that is lost waits for it`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    await membership.handle(.closed(connection))
    #expect(transport.words == ["raise 7"])
    try await join(membership, 2, ConnectionID(rawValue: 8))
    let goodbye = Goodbye(node: try Self.node(2), instance: 3)
    await membership.handle(.received(.goodbye(goodbye), ConnectionID(rawValue: 8)))
    #expect(transport.words == ["raise 7", "raise 8", "close 8", "end lane of 2"])
  }

  @Test func `a member is let in where it was seen, then its key is taken, then it is expelled`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    #expect(transport.words == ["raise 7"])
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    await membership.handle(
      .received(.mediaKey(MediaKey(stream: 0, ssrc: 5, epoch: 11, octets: [1])), connection))
    #expect(await media.next() == "install 11 of 2")
    await membership.handle(.closed(connection))
    #expect(await media.next() == "expel 2")
  }

  @Test func `before a member is taken for gone, the media path is asked for its last sign`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    let heard = time.pass(seconds: 5.5)
    media.heard.withLock { $0 = heard }
    await membership.handle(.tick)
    #expect(await media.next() == "listen to 2")
    // As the answer to that comes at some moment.
    await membership.listen(to: try Self.node(2))
    #expect(await media.next() == "listen to 2")
    time.pass(seconds: 5.3)
    await membership.handle(.tick)
    time.pass(seconds: 0.2)
    await membership.handle(.tick)
    #expect(await media.next() == "listen to 2")
    time.pass(seconds: 0.5)
    await membership.handle(.tick)
    #expect(await media.next() == "expel 2")
  }

  @Test func `whoever asks for it waits until the media path knows who was blocked`() async throws {
    let membership = try membership()
    await membership.start()
    await membership.mediaKnows()
    try await join(membership, 2, connection)
    await membership.mediaKnows()
    try await membership.block(try Self.node(2).text)
    await membership.mediaKnows()
    media.say("told")
    var commands: [String] = []
    while commands.last != "told" { commands.append(await media.next()) }
    #expect(commands.contains("expel 2"))
  }

  @Test func `whoever joins gets the key; after a departure the next one is shared, then used`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    let other = ConnectionID(rawValue: 8)
    try await join(membership, 2, connection)
    try await join(membership, 3, other)
    #expect(
      transport.messages(on: connection).contains(
        .mediaKey(MediaKey(stream: 0, ssrc: 5, epoch: 0, octets: [9]))))
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    #expect(await media.next() == "admit N3 at 10.0.0.3:5004")
    await membership.rollKeys([0])
    #expect(await media.next() == "make 1")
    #expect(await media.next() == "use 1")
    let shared = Message.mediaKey(MediaKey(stream: 0, ssrc: 5, epoch: 1, octets: [9]))
    #expect(transport.messages(on: other).contains(shared))
    // The former key is given to nobody who joins now.
    let late = ConnectionID(rawValue: 9)
    try await join(membership, 4, late)
    let keys = transport.messages(on: late).filter {
      if case .mediaKey = $0 { true } else { false }
    }
    #expect(keys == [shared])
  }

  @Test func `a key of no use is told and the member stays`() async throws {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    await membership.handle(
      .received(.mediaKey(MediaKey(stream: 0, ssrc: 5, epoch: 0, octets: [0])), connection))
    await membership.handle(
      .received(.mediaKey(MediaKey(stream: 0, ssrc: 5, epoch: 1, octets: [1])), connection))
    #expect(await media.next() == "install 1 of 2")
    #expect(reports.words.contains { $0.contains("media key of N2 is invalid") })
  }

  @Test func `who leaves says goodbye to its members and hears nothing any more`() async throws {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    await membership.leave()
    let goodbye = Message.goodbye(Goodbye(node: try Self.node(1), instance: 5))
    #expect(transport.messages(on: connection).last == goodbye)
    #expect(transport.words.suffix(2) == ["close 7", "end lane of 2"])
    try await join(membership, 3, ConnectionID(rawValue: 8))
    #expect(transport.words.last == "close 8")
  }
}
