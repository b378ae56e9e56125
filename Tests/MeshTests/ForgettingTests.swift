import Cryptography
import Mesh
import TestKit
import Testing

/// A node that is no more, forgotten by one user, is forgotten by the group (MESSAGES.md, “Forgotten nodes”).
@Suite struct ForgettingTests {
  private static let dead = MeshMemory.Forgotten(node: Bench.lower, instance: 3)

  /// A machine that knew a node which is away now.
  private func bench(trusted: Set<NodeID> = [], instance: UInt64 = 3) -> Bench {
    Bench(
      memory: MeshMemory(
        trusted: trusted, entries: [.init(node: Bench.lower, instance: instance)]))
  }

  private func told(_ nodes: MeshMemory.Forgotten...) -> Message {
    .forgotten(ForgottenNodes(nodes: nodes))
  }

  @Test func `who forgets a node that is away tells its members, and those that come`() {
    let bench = bench()
    let member = bench.accept(Bench.higher)
    bench.give(.forget(Bench.lower))
    #expect(bench.taken().sent(on: member).last == told(Self.dead))
    #expect(bench.mesh.memory.forgotten == [Self.dead] && bench.mesh.memory.entries.count == 1)
    let later = bench.accept(Bench.id(0xF1))
    #expect(bench.taken().sent(on: later).contains(told(Self.dead)))
    // After a restart, too.
    let next = Bench(memory: bench.mesh.memory)
    let again = next.accept(Bench.higher)
    #expect(next.taken().sent(on: again).contains(told(Self.dead)))
  }

  @Test func `whoever is told frees the name, once, and tells the others`() {
    let bench = bench()
    let teller = bench.accept(Bench.higher)
    let other = bench.accept(Bench.id(0xF1))
    _ = bench.taken()
    bench.give(.received(told(Self.dead), teller))
    bench.give(.received(told(Self.dead), teller))
    let actions = bench.taken()
    #expect(actions.count { $0 == .forgotten(Bench.lower, by: Bench.higher) } == 1)
    #expect(actions.sent(on: other) == [told(Self.dead)] && actions.sent(on: teller).isEmpty)
    #expect(actions.contains(.store))
    bench.pass(seconds: 60)
    #expect(!bench.taken().knocked.contains(Bench.lower))
    #expect(bench.mesh.reports.allSatisfy { $0.target != .node(Bench.lower) })
  }

  @Test func `nobody can have a node forgotten that is here, or that is us`() {
    let bench = bench()
    let teller = bench.accept(Bench.higher)
    let living = bench.accept(Bench.lower, instance: 3)
    _ = bench.taken()
    bench.give(
      .received(
        told(
          .init(node: Bench.lower, instance: .max >> 2), .init(node: Bench.own, instance: .max >> 2)
        ), teller))
    bench.give(.forget(Bench.lower))
    let actions = bench.taken()
    #expect(!actions.contains { if case .forgotten = $0 { true } else { false } })
    #expect(!actions.contains { if case .send(.forgotten, _) = $0 { true } else { false } })
    #expect(bench.mesh.isMember(Bench.lower, instance: 3) && actions.closed(living) == nil)
  }

  @Test func `neither trust nor a block is taken back by another`() {
    let trusting = bench(trusted: [Bench.lower])
    let teller = trusting.accept(Bench.higher)
    trusting.give(.received(told(Self.dead), teller))
    #expect(trusting.taken().contains(.forgotten(Bench.lower, by: Bench.higher)))
    #expect(trusting.mesh.memory.trusted == [Bench.lower])
    // Told again it changes nothing: the name may be the next one's.
    trusting.give(.received(told(Self.dead), teller))
    #expect(!trusting.taken().contains(.forgotten(Bench.lower, by: Bench.higher)))
  }

  @Test func `who is here by an open policy alone has no say, and is not told`() {
    let bench = Bench(
      policy: .open,
      memory: MeshMemory(
        entries: [.init(node: Bench.lower, instance: 3)],
        forgotten: [
          .init(node: Bench.id(0x11), instance: 1)
        ]))
    let guest = bench.accept(Bench.higher, group: false)
    bench.give(.received(told(Self.dead), guest))
    let actions = bench.taken()
    #expect(actions.admitted == [Bench.higher])
    #expect(!actions.contains { if case .forgotten = $0 { true } else { false } })
    #expect(!actions.sent(on: guest).contains { if case .forgotten = $0 { true } else { false } })
  }

  @Test func `a later start than was forgotten is not meant, and ends it`() {
    let bench = bench(instance: 4)
    let teller = bench.accept(Bench.higher)
    _ = bench.taken()
    bench.give(.received(told(Self.dead), teller))
    #expect(!bench.taken().contains(.forgotten(Bench.lower, by: Bench.higher)))
    bench.give(.forget(Bench.lower))
    #expect(bench.mesh.memory.forgotten.map(\.instance) == [4])
    _ = bench.accept(Bench.lower, instance: 5)
    #expect(bench.mesh.memory.forgotten.isEmpty)
  }

  @Test func `what one tells of starts that nobody saw holds for those that were seen`() {
    let bench = bench()
    let teller = bench.accept(Bench.higher)
    bench.give(.received(told(.init(node: Bench.lower, instance: .max >> 2)), teller))
    #expect(bench.mesh.memory.forgotten == [Self.dead])
  }

  @Test func `of strangers nothing is kept, and of nodes that were known no more than a few`() {
    let count = MeshLimits.forgotten * 2
    let known = (0..<count).map { Bench.id(0x20, UInt16($0)) }
    let bench = Bench(
      memory: MeshMemory(entries: known.map { NodeRecord(node: $0, instance: 1) }))
    let teller = bench.accept(Bench.higher)
    for node in known + (0..<count).map({ Bench.id(0x21, UInt16($0)) }) {
      bench.give(.received(told(.init(node: node, instance: 9)), teller))
      bench.keepAlive(teller, seconds: 1)
    }
    #expect(bench.mesh.isMember(Bench.higher, instance: 1))
    #expect(bench.mesh.memory.forgotten.map(\.node) == known.suffix(MeshLimits.forgotten))
  }

  @Test func `it gets to members on the other side of a cut, and to those that were off`() {
    for seed in Seeds.first(20) {
      let network = MeshNetwork(nodeCount: 6, seed: seed)
      var freed: Set<Int> = []
      let dead = network.nodes[5].id
      network.observer = { if case .forgotten(dead, _) = $1 { freed.insert($0) } }
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 30) != nil, "seed \(seed)")
      network.kill(5)
      network.kill(4)
      network.cut([0, 0, 1, 1, 1, 1])
      network.run(seconds: 30)
      network.give(.forget(dead), to: 0)
      network.run(seconds: 5)
      #expect(freed == [1], "seed \(seed)")
      // Who told it is gone when the others are back.
      network.kill(0)
      network.cut([0, 0, 0, 0, 0, 0])
      network.start(4)
      #expect(network.becomeWhole(withinSeconds: 60) != nil, "seed \(seed)")
      network.run(seconds: 2)
      #expect(freed == [1, 2, 3, 4], "seed \(seed)")
    }
  }
}
