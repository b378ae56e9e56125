import Cryptography
import Mesh
import TestKit
import Testing

/// Heartbeats that travel together (MESSAGES.md, “Heartbeats”).
@Suite struct AnsweredHeartbeatTests {
  private static let asking = Message.heartbeat(Heartbeat(memberCount: 1, asks: true))

  /// Whether each heartbeat that was sent asks.
  private func asks(_ bench: Bench, _ connection: ConnectionID) -> [Bool] {
    bench.taken().sent(on: connection).compactMap {
      if case .heartbeat(let heartbeat) = $0 { heartbeat.asks } else { nil }
    }
  }

  @Test func `who is asked answers at once, and says no more than that`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 3)
    bench.give(.received(Self.asking, connection))
    _ = bench.taken()
    for _ in 0..<10 {
      bench.pass(seconds: 2)
      #expect(asks(bench, connection).isEmpty)
      bench.give(.received(Self.asking, connection))
      #expect(asks(bench, connection) == [false])
    }
  }

  @Test func `of two the lower ID asks, every two seconds, whether it is answered or not`() {
    let bench = Bench()
    let connection = bench.accept(Bench.higher)
    bench.pass(seconds: 0.5)
    _ = bench.taken()
    bench.keepAlive(connection, seconds: 20)
    #expect(asks(bench, connection) == Array(repeating: true, count: 10))
  }

  @Test func `who asks does not answer: where both do, all is as if none did`() {
    let bench = Bench()
    let connection = bench.accept(Bench.higher)
    bench.pass(seconds: 3)
    _ = bench.taken()
    bench.give(.received(Self.asking, connection))
    #expect(asks(bench, connection).isEmpty)
  }

  @Test func `who is asked no more sends by itself after 4.25 s at most, then every two seconds`() {
    for seed in Seeds.first(20) {
      let bench = Bench(seed: seed)
      let connection = bench.accept(Bench.lower)
      bench.keepAlive(connection, seconds: 2 + Double(seed) / 10)
      bench.give(.received(Self.asking, connection))
      _ = bench.taken()
      // Hears of the other, as of one of 1.2, and is not asked.
      bench.give(.received(.heartbeat(Heartbeat()), connection))
      bench.pass(seconds: 4.25)
      #expect((1...2).contains(asks(bench, connection).count), "seed \(seed)")
      bench.keepAlive(connection, seconds: 20)
      #expect(asks(bench, connection).count == 10, "seed \(seed)")
    }
  }

  @Test func `who asks without end is answered once a second`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 3)
    _ = bench.taken()
    for _ in 0..<100 {
      bench.give(.received(Self.asking, connection))
      bench.pass(seconds: 0.1)
    }
    #expect(asks(bench, connection).count == 10)
  }

  @Test func `when the network changes all hear of us at once, whoever asked a moment ago`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 3)
    bench.give(.received(Self.asking, connection))
    _ = bench.taken()
    bench.give(.networkChanged)
    bench.give(.tick)
    #expect(asks(bench, connection) == [false])
  }

  @Test func `old members are told of in turn by answers, too`() {
    let bench = Bench()
    let connections = (1...6).map { bench.accept(Bench.id(0x10, $0), attempt: 1) }
    bench.pass(seconds: 0.1)
    _ = bench.taken()
    // Of seven in the ring the first three that follow are asked, the others ask.
    let last = connections[5]
    var told: Set<NodeID> = []
    for _ in 0..<60 {
      for connection in connections {
        bench.give(
          .received(.heartbeat(Heartbeat(memberCount: 6, asks: connection == last)), connection))
      }
      bench.pass(seconds: 2)
      for case .heartbeat(let heartbeat) in bench.taken().sent(on: last) {
        #expect(!heartbeat.asks && heartbeat.members.count <= 1)
        told.formUnion(heartbeat.members.map(\.node))
      }
    }
    #expect(told.count == 5)
  }

  @Test(arguments: [2, 7, 16])
  func `three packets do for two heartbeats, and every node answers as many as it asks`(
    nodeCount: Int
  ) {
    var model = MeshNetworkModel()
    model.isCounted = true
    let network = MeshNetwork(nodeCount: nodeCount, seed: 1, model: model)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    network.run(seconds: 5)
    let before = network.nodes.map { ($0.sent, $0.wakeUps) }
    let rounds = 30
    network.run(seconds: Double(2 * rounds))
    let sent = zip(network.nodes, before).map { $0.sent.since($1.0) }
    let pairs = nodeCount * (nodeCount - 1) / 2
    let messages = sent.map(\.messages).reduce(0, +)
    let acknowledgements = sent.map(\.acknowledgements).reduce(0, +)
    #expect(abs(messages - 2 * pairs * rounds) <= nodeCount)
    #expect(abs(acknowledgements - pairs * rounds) <= nodeCount)
    for node in sent {
      let asked = Double(node.acknowledgements) / Double(rounds)
      #expect(abs(asked - Double(nodeCount - 1) / 2) <= 0.6)
    }
    // One for each heartbeat that comes, one for the round, one for a connection's fifteenth second.
    for (node, before) in zip(network.nodes, before) {
      #expect(node.wakeUps - before.1 <= nodeCount * (rounds + 1) + 1)
    }
  }
}
