import Cryptography
import EventLoop
import Mesh
import StatusSchema
import Synchronization
import Testing

@testable import Intercom

/// What becomes of the mesh's decisions.
@Suite struct MembershipTests {
  private let transport = FakeTransport()
  private let media = FakeMedia()
  private let reports = Reports()
  private let time = Time()
  private let connection = ConnectionID(rawValue: 7)

  final class Time: Sendable {
    let nanoseconds = Mutex<Int64>(1_000_000_000)
    func pass(seconds: Int64) { nanoseconds.withLock { $0 += seconds * 1_000_000_000 } }
  }

  final class Reports: Sendable {
    private let all = Mutex<[MembershipEvent]>([])
    func add(_ event: MembershipEvent) { all.withLock { $0.append(event) } }
    var words: [String] { all.withLock { $0.map { "\($0)" } } }
  }

  private static func node(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: NodeID.byteCount)))
  }

  private func membership(
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

  private func join(
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

  @Test func `a member is let in where it was seen, then its key is taken, then it is expelled`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    #expect(transport.words == ["raise 7"])
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    await membership.handle(
      .received(.mediaKey(MediaKey(stream: 1, epoch: 11, octets: [1])), connection))
    #expect(await media.next() == "install 11 of 2")
    await membership.handle(.closed(connection))
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
        .mediaKey(MediaKey(stream: 0, epoch: 0, octets: [9]))))
    #expect(await media.next() == "admit N2 at 10.0.0.2:5004")
    #expect(await media.next() == "admit N3 at 10.0.0.3:5004")
    await membership.rollKey()
    #expect(await media.next() == "make 1")
    #expect(await media.next() == "use 1")
    let shared = Message.mediaKey(MediaKey(stream: 1, epoch: 1, octets: [9]))
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
      .received(.mediaKey(MediaKey(stream: 0, epoch: 0, octets: [0])), connection))
    await membership.handle(
      .received(.mediaKey(MediaKey(stream: 0, epoch: 1, octets: [1])), connection))
    #expect(await media.next() == "install 1 of 2")
    #expect(reports.words.contains { $0.contains("media key of N2 is of no use") })
  }

  @Test func `a peer that is named is looked up and dialled; one that leads nowhere is told`()
    async throws
  {
    let address = SocketAddress(ipv4: 0x0A00_0009, port: 5004)
    let membership = try membership(resolve: ["there:5004": [address]])
    await membership.start()
    #expect(try await membership.addresses(of: "there:5004") == [NodeAddress(address)])
    #expect(try await membership.addresses(of: "nowhere:5004").isEmpty)
    await membership.name("there:5004")
    await membership.name("nowhere:5004")
    time.pass(seconds: 1)
    await membership.handle(.tick)
    // The look-ups answer from tasks of their own.
    for _ in 0..<10_000 where reports.words.isEmpty || transport.words.isEmpty {
      await Task.yield()
    }
    #expect(transport.words.first == "dial 10.0.0.9:5004")
    #expect(reports.words.count == 1 && reports.words[0].contains("nowhere:5004"))
  }

  @Test func `discovery asks anew where a node is that is looked up`() async throws {
    let asked = Mutex<[NodeID]>([])
    let membership = try membership(rediscover: { node in asked.withLock { $0.append(node) } })
    await membership.perform([.resolve(.node(try Self.node(8)))])
    #expect(asked.withLock { $0 } == [try Self.node(8)])
  }

  @Test func `who can be reached by IPv6 only is not dialled where media take none`() async throws {
    let far = SocketAddress(ipv6: 0x2001_0DB8_0000_0000, 1, port: 5004)
    let membership = try membership()
    await membership.start()
    let announcement = Announcement(node: try Self.node(0xFF), addresses: [NodeAddress(far)])
    await membership.discover(announcement, name: "far")
    time.pass(seconds: 5)
    await membership.handle(.tick)
    #expect(transport.words.isEmpty)
  }

  @Test func `a node is found by its name or its words, and not by a name that two have`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    let announcement = Announcement(node: try Self.node(8), addresses: [], sharesGroup: false)
    await membership.discover(announcement, name: "foh")
    try await membership.block("FOH")
    try await membership.forget(try Self.node(8).words.joined(separator: "-"))
    await membership.discover(
      Announcement(node: try Self.node(9), addresses: [], sharesGroup: false), name: "foh")
    await #expect(throws: IntercomError.self) { try await membership.block("foh") }
    await #expect(throws: IntercomError.self) { try await membership.block("nobody") }
    await #expect(throws: IntercomError.self) { try await membership.addresses(of: "foh") }
    try await membership.block(try Self.node(9).text)
    let blocked = await membership.acquaintances.filter { $0.admission == "blocked" }
    #expect(blocked.map(\.id) == [try Self.node(9).text])
  }

  @Test func `a block is answered once it is kept, or with why it is not`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    let membership = try membership { memory in
      writes.yield(memory)
      for await answer in answers { return answer }
      return "no answer"
    }
    await membership.start()
    #expect(await membership.keepingProblem() == nil, "nothing is to be kept yet")
    let isAnswered = Mutex(false)
    try await membership.block(try Self.node(9).text)
    async let problem = {
      let problem = await membership.keepingProblem()
      isAnswered.withLock { $0 = true }
      return problem
    }()
    var writing = written.makeAsyncIterator()
    #expect(await writing.next()?.blocked == [try Self.node(9)])
    for _ in 0..<100 { await Task.yield() }
    #expect(!isAnswered.withLock { $0 }, "answered before the disk has it")
    answer.yield(nil)
    #expect(await problem == nil)

    try await membership.block(try Self.node(8).text)
    answer.yield("the disk is full")
    #expect(await membership.keepingProblem() == "the disk is full")
    // Nothing changed since, and it is still not kept.
    #expect(await membership.keepingProblem() == "the disk is full")
    try await membership.forget(try Self.node(8).text)
    answer.yield(nil)
    #expect(await membership.keepingProblem() == nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `what could not be kept is written again until it is`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let tries = Mutex(0)
    let membership = try membership(
      store: { memory in
        writes.yield(memory)
        return tries.withLock { tries in
          tries += 1
          return tries < 3 ? "the disk is full" : nil
        }
      },
      wait: { duration in
        // Another try comes at once, and nothing else ever.
        if duration != Membership.keepingPause { try await Task.sleep(for: .seconds(10_000)) }
      })
    await membership.start()
    try await membership.block(try Self.node(9).text)
    var writing = written.makeAsyncIterator()
    for _ in 1...3 { #expect(await writing.next()?.blocked == [try Self.node(9)]) }
    while await membership.keepingProblem() != nil { await Task.yield() }
    #expect(tries.withLock { $0 } == 3)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a disk that is full gets a last chance at the end`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let membership = try membership { memory in
      writes.yield(memory)
      return "the disk is full"
    }
    await membership.start()
    try await membership.block(try Self.node(9).text)
    #expect(await membership.keepingProblem() == "the disk is full")
    await membership.leave()
    await membership.finishKeeping()
    writes.finish()
    var count = 0
    for await memory in written {
      #expect(memory.blocked == [try Self.node(9)])
      count += 1
    }
    #expect(count == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a disk that does not answer holds no goodbye up`() async throws {
    let (writing, begun) = AsyncStream.makeStream(of: Void.self)
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    let membership = try membership { _ in
      begun.yield()
      for await answer in answers { return answer }
      return nil
    }
    await membership.start()
    try await join(membership, 2, connection)
    try await membership.block(try Self.node(9).text)
    for await _ in writing { break }
    await membership.leave()
    #expect(transport.words.last == "close 7")
    answer.finish()
    await membership.finishKeeping()
  }

  @Test func `peers that fail again and again are told once an hour each`() async throws {
    let membership = try membership()
    await membership.start()
    func fail() async throws {
      let peers = [try Self.node(8), try Self.node(9)]
      await membership.perform(peers.map { .rebuilt(.node($0)) })
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

  @Test func `a static peer that answered has the line of its node`() async throws {
    let address = SocketAddress(ipv4: 0x0A00_0009, port: 5004)
    let membership = try membership(resolve: ["there:5004": [address]])
    await membership.start()
    await membership.name("there:5004")
    #expect(await membership.acquaintances.map(\.name) == ["there:5004"])
    time.pass(seconds: 1)
    await membership.handle(.tick)
    for _ in 0..<10_000 where transport.words.isEmpty { await Task.yield() }
    let node = try Self.node(0xF0)
    await membership.handle(
      .dialled(
        AttemptID(rawValue: 1),
        OpenedConnection(
          connection: connection, node: node, provesGroup: true, remote: NodeAddress(address))))
    await membership.handle(
      .received(
        .hello(
          Hello(
            node: node, instance: 3,
            profile: NodeProfile(
              name: "N", role: "stage left", colourRGB: 0x8000, softwareVersion: "0.4.0"),
            admits: true)), connection))
    #expect(await membership.acquaintances.map(\.name) == ["N"])
    let known = try #require(await membership.acquaintances.first)
    #expect([known.role, known.colour, known.version] == ["stage left", "008000", "0.4.0"])
    #expect(await membership.acquaintances.map(\.state) == ["member"])
    #expect(await membership.instances == [node: 3])
  }

  @Test func `each attempt is shown with its number, its address and how long it may take yet`()
    async throws
  {
    let addresses = [1, 2].map { SocketAddress(ipv4: 0x0A00_0000 + $0, port: 5004) }
    let membership = try membership(resolve: ["there:5004": addresses])
    await membership.start()
    await membership.name("there:5004")
    time.pass(seconds: 1)
    await membership.handle(.tick)
    for _ in 0..<10_000 where transport.words.isEmpty { await Task.yield() }
    time.pass(seconds: 3)
    let connecting = try #require(await membership.acquaintances.first)
    var attempt = AttemptStatus(number: 1, isAwaited: false, secondsLeft: 32)
    (attempt.address, attempt.addressCount) = (1, 2)
    #expect(connecting.state == "connecting" && connecting.attempt == attempt)
    for number in 1...2 { await membership.handle(.failed(AttemptID(rawValue: UInt64(number)))) }
    let waiting = try #require(await membership.acquaintances.first)
    #expect(waiting.state == "waiting to try again" && waiting.failures == 1)
    let next = try #require(waiting.attempt)
    #expect(next.isAwaited && next.number == 2 && next.secondsLeft <= 0.5 && next.address == nil)
  }

  @Test func `who leaves says goodbye to its members and hears nothing any more`() async throws {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    await membership.leave()
    let goodbye = Message.goodbye(Goodbye(node: try Self.node(1), instance: 5))
    #expect(transport.messages(on: connection).last == goodbye)
    #expect(transport.words.last == "close 7")
    try await join(membership, 3, ConnectionID(rawValue: 8))
    #expect(transport.words.last == "close 8")
  }
}
