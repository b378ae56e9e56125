import Cryptography
import EventLoop
import Mesh
import StatusSchema
import Synchronization
import Testing

@testable import Intercom

/// Who is looked for, where, and how the search is shown.
extension MembershipTests {
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
    await membership.perform(.resolve(.node(try Self.node(8))))
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
    let blocked = await membership.knownNodes.filter { $0.admission == "blocked" }
    #expect(blocked.map(\.id) == [try Self.node(9).text])
  }

  @Test func `a static peer that answered has the line of its node`() async throws {
    let address = SocketAddress(ipv4: 0x0A00_0009, port: 5004)
    let membership = try membership(resolve: ["there:5004": [address]])
    await membership.start()
    await membership.name("there:5004")
    #expect(await membership.knownNodes.map(\.name) == ["there:5004"])
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
    #expect(await membership.knownNodes.map(\.name) == ["N"])
    let known = try #require(await membership.knownNodes.first)
    #expect([known.role, known.colour, known.version] == ["stage left", "008000", "0.4.0"])
    #expect(await membership.knownNodes.map(\.state) == ["member"])
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
    let connecting = try #require(await membership.knownNodes.first)
    var attempt = AttemptStatus(number: 1, isAwaited: false, secondsLeft: 32)
    (attempt.address, attempt.addressCount) = (1, 2)
    #expect(connecting.state == "connecting" && connecting.attempt == attempt)
    for number in 1...2 { await membership.handle(.failed(AttemptID(rawValue: UInt64(number)))) }
    let waiting = try #require(await membership.knownNodes.first)
    #expect(waiting.state == "waiting to try again" && waiting.failures == 1)
    let next = try #require(waiting.attempt)
    #expect(next.isAwaited && next.number == 2 && next.secondsLeft <= 0.5 && next.address == nil)
  }
}
