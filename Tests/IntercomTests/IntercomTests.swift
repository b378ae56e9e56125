import Audio
import Cryptography
import EventLoop
import Mesh
import StatusSchema
import Synchronization
import TestJack
import Testing

@testable import Intercom

/// Nodes in this process on loopback sockets, without a JACK server: contact, settings, goodbye.
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

  /// Admits another node at its address, or at none, and takes its key.
  private func admit(
    _ other: Intercom, _ id: NodeID, to node: Intercom, isAddressTold: Bool = true
  ) async throws {
    let member = Member(
      node: id, name: "Other", addresses: isAddressTold ? [other.localAddress] : [])
    #expect(await node.admit(member))
    #expect(await node.install(try ReceivedKey(try #require(await other.ownKey())), of: id))
  }

  /// Makes two nodes members of each other, as `A` and `B`.
  private func meet(_ a: Intercom, _ b: Intercom) async throws {
    try await admit(b, .named("B"), to: a)
    try await admit(a, .named("A"), to: b)
  }

  @Test func `an address on one side connects both`() async throws {
    let (a, b) = (try node("A"), try node("B"))
    try await admit(b, .named("B"), to: a)
    try await admit(a, .named("A"), to: b, isAddressTold: false)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(try await eventually { await isConnected(b, to: "A") })
    await a.stop()
    await b.stop()
  }

  @Test func `addresses on both sides make one connection`() async throws {
    let (a, b) = (try node("A"), try node("B"))
    try await meet(a, b)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(try await eventually { await isConnected(b, to: "A") })
    #expect(await a.status().peers.count == 1)
    #expect(await b.status().peers.count == 1)
    await a.stop()
    await b.stop()
  }

  @Test func `settings survive a member's absence and its next run`() async throws {
    let events = Events()
    let a = try node("A", events: events)
    let first = try node("B")
    try await meet(a, first)
    #expect(try await eventually { await isConnected(a, to: "B") })
    try await a.setGain(-6, peer: "B")
    try await a.setPan(0.5, peer: "b")
    try await a.setMuted(true, peer: "B")
    await first.stop()
    await a.expel(.named("B"), saidGoodbye: true)
    #expect(await a.status().peers.isEmpty)
    let saidGoodbye = events.all.contains {
      if case .peerLeft("B", _, true) = $0 { true } else { false }
    }
    #expect(saidGoodbye)

    let second = try node("B")
    try await meet(a, second)
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
    await #expect(throws: IntercomError.self) { try await a.setSidetone(0.5) }
    await #expect(throws: IntercomError.self) { try await a.setPan(-1.5, peer: "nobody") }
    await a.stop()
  }

  @Test func `a full table refuses and counts the next`() async throws {
    let a = try node("A") { $0.maximumPeers = 1 }
    let b = try node("B")
    try await meet(a, b)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(await !a.admit(Member(node: .named("C"), name: "C", addresses: [])))
    #expect(await a.status().network.drops["refusedPeer"] == 1)
    #expect(await a.status().peers.count == 1)
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

  @Test func `keys roll while members hear of each other`() async throws {
    let (a, b) = (try node("A"), try node("B"))
    try await meet(a, b)
    #expect(try await eventually { await isConnected(a, to: "B") })
    #expect(try await eventually { await isConnected(b, to: "A") })
    for epoch in 1...3 as ClosedRange<UInt64> {
      let key = try #require(try await b.makeNextKey())
      #expect(key.epoch == epoch)
      #expect(await a.install(try ReceivedKey(key), of: .named("B")))
      await b.useNextKey()
      #expect(await b.ownKey() == key && key.epoch == UInt64(epoch))
    }
    #expect(try await eventually { await a.status().peers.map(\.state) == [.connected] })
    #expect(await a.status().network.drops["unknownKey"] == nil)
    await a.expel(.named("B"))
    #expect(await a.status().peers.isEmpty)
    for node in [a, b] { await node.stop() }
  }
}
