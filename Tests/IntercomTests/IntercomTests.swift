import Audio
import Cryptography
import EventLoop
import StatusSchema
import Synchronization
import TestJack
import Testing

@testable import Intercom

/// Nodes in this process on loopback sockets, without a JACK server: contact, settings, farewell.
///
/// Their sessions look for one all the same, and libjack does not bear that beside another suite's.
@Suite(.serialized, .libjackTurn) struct IntercomTests {
  private final class Events: Sendable {
    private let stored = Mutex<[IntercomEvent]>([])
    var all: [IntercomEvent] { stored.withLock { $0 } }
    func add(_ event: IntercomEvent) { stored.withLock { $0.append(event) } }
  }

  private func node(
    _ name: String, events: Events = Events(),
    adjust: (inout IntercomConfiguration) -> Void = { _ in }
  ) throws -> Intercom {
    let listen = try SocketAddress(parsing: "127.0.0.1:0")
    var configuration = IntercomConfiguration(name: name, listen: listen, softwareVersion: "test")
    configuration.protectsMedia = false
    configuration.jackServer = "no-such-server-\(name)"
    configuration.realtimePriority = nil
    configuration.locksMemory = false
    adjust(&configuration)
    let node = try Intercom(configuration: configuration) { events.add($0) }
    try node.start()
    return node
  }

  /// Polls until the condition holds; ten seconds are for a machine that stalls.
  private func eventually(_ condition: () async -> Bool) async throws -> Bool {
    for _ in 0..<500 {
      if await condition() { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  private func isConnected(_ node: Intercom, to name: String) async -> Bool {
    await node.status().peers.contains { $0.name == name && $0.state == .connected }
  }

  @Test func `a refused Jack client is told as failed with the reason`() async throws {
    let server = try await TestServer.start()
    let node = try node("A") {
      $0.jackServer = server.name
      // The name of the server's own client.
      $0.jackClient = "system"
    }
    #expect(try await eventually { await node.status().audio.state == .failed })
    #expect(try #require(await node.status().audio.problem).contains("'system' is in use"))
    await node.stop()
  }

  @Test func `naming one side connects both`() async throws {
    let (a, b) = (try node("A"), try node("B"))
    await a.addPeer(b.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(try await eventually { await isConnected(b, to: "A") })
    await a.stop()
    await b.stop()
  }

  @Test func `naming each other makes one connection`() async throws {
    let (a, b) = (try node("A"), try node("B"))
    await a.addPeer(b.localAddress)
    await b.addPeer(a.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(try await eventually { await isConnected(b, to: "A") })
    #expect(await a.status().peers.count == 1)
    #expect(await b.status().peers.count == 1)
    await a.stop()
    await b.stop()
  }

  @Test func `a farewell is seen at once and a named peer is called again`() async throws {
    let events = Events()
    let (a, b) = (try node("A", events: events), try node("B"))
    await a.addPeer(b.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    await b.stop()
    #expect(
      try await eventually {
        await a.status().peers.allSatisfy { $0.state == .connecting }
      })
    let saidGoodbye = events.all.contains {
      if case .peerLeft("B", _, true) = $0 { true } else { false }
    }
    #expect(saidGoodbye)
    await a.stop()
  }

  @Test func `a node that names itself finds out`() async throws {
    let events = Events()
    let a = try node("A", events: events)
    await a.addPeer(a.localAddress)
    let found = try await eventually {
      events.all.contains { if case .peerIsOurselves = $0 { true } else { false } }
    }
    #expect(found)
    await a.stop()
  }

  @Test func `settings survive a peers absence`() async throws {
    let a = try node("A")
    let first = try node("B")
    await a.addPeer(first.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    try await a.setGain(-6, peer: "B")
    try await a.setPan(0.5, peer: "b")
    try await a.setMuted(true, peer: "B")
    await first.stop()
    #expect(try await eventually { await !isConnected(a, to: "B") })

    let second = try node("B")
    await a.addPeer(second.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    let peer = try #require(
      await a.status().peers.first { $0.name == "B" && $0.state == .connected })
    #expect(peer.gainDecibels == -6)
    #expect(peer.pan == 0.5)
    #expect(peer.isMuted)
    await a.stop()
    await second.stop()
  }

  @Test func `wrong settings are refused with words`() async throws {
    let a = try node("A")
    await #expect(throws: IntercomError.self) { try await a.setGain(0, peer: "nobody") }
    await #expect(throws: IntercomError.self) { try await a.setGain(99, peer: "nobody") }
    await #expect(throws: IntercomError.self) { try await a.setPan(-1.5, peer: "nobody") }
    await a.stop()
  }

  @Test func `a full table refuses and counts the next`() async throws {
    let events = Events()
    let a = try node("A", events: events) { $0.maximumPeers = 1 }
    let (b, c) = (try node("B"), try node("C"))
    await b.addPeer(a.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    await c.addPeer(a.localAddress)
    #expect(
      try await eventually { await (a.status().network.drops["refusedPeer"] ?? 0) > 0 })
    #expect(await a.status().peers.count == 1)
    for node in [a, b, c] { await node.stop() }
  }

  @Test func `a named peer takes the place of a stranger without proof`() async throws {
    let a = try node("A") { $0.maximumPeers = 1 }
    let b = try node("B")
    // It reports, but never reads what comes back.
    let stranger = try MuteStranger()
    stranger.report(to: a.localAddress.port)
    #expect(try await eventually { await a.status().peers.count == 1 })
    await a.addPeer(b.localAddress)
    #expect(try await eventually { await isConnected(a, to: "B") })
    for node in [a, b] { await node.stop() }
  }

  @Test func `a taken port is said in words`() async throws {
    let a = try node("A")
    let taken = a.localAddress
    #expect(throws: IntercomError.self) {
      _ = try node("B") { $0.listen = taken }
    }
    await a.stop()
  }

  @Test func `members with keys hear of each other and keys roll`() async throws {
    let nodes = try ["A", "B"].map { name in try node(name) { $0.protectsMedia = true } }
    let ids = [NodeID.named("A"), .named("B")]
    for (own, other) in [(0, 1), (1, 0)] {
      await nodes[own].addPeer(nodes[other].localAddress)
      #expect(await nodes[own].status().peers.isEmpty)
      let member = MediaMember(
        node: ids[other], name: "Other", addresses: [nodes[other].localAddress])
      #expect(await nodes[own].admit(member))
      let key = try #require(await nodes[other].ownKey())
      #expect(
        await nodes[own].install(
          try ReceivedKey(octets: key.octets, epoch: key.epoch), of: ids[other]))
    }
    #expect(try await eventually { await isConnected(nodes[0], to: "B") })
    #expect(try await eventually { await isConnected(nodes[1], to: "A") })
    for epoch in 1...3 as ClosedRange<UInt64> {
      let key = try #require(try await nodes[1].makeNextKey())
      #expect(key.epoch == epoch)
      #expect(
        await nodes[0].install(
          try ReceivedKey(octets: key.octets, epoch: key.epoch), of: ids[1]))
      #expect(await nodes[1].useNextKey() == epoch)
      #expect(await nodes[1].ownKey() == key)
    }
    #expect(
      try await eventually { await nodes[0].status().peers.map(\.state) == [.connected] })
    #expect(await nodes[0].status().network.drops["unknownKey"] == nil)
    await nodes[0].expel(ids[1])
    #expect(await nodes[0].status().peers.isEmpty)
    for node in nodes { await node.stop() }
  }

  @Test func `in clear there are no keys`() async throws {
    let a = try node("A")
    #expect(await a.ownKey() == nil)
    #expect(try await a.makeNextKey() == nil)
    #expect(await a.useNextKey() == nil)
    await a.stop()
  }
}
