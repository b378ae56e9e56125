import Mesh
import TestKit
import Testing

/// Whole groups in virtual time.
@Suite struct GroupTests {
  @Test func `64 nodes from a cold start are a clique within 10 s`() {
    var model = MeshNetworkModel()
    model.loss = 0.01
    let network = MeshNetwork(nodeCount: 64, seed: 1, model: model)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    let floods = network.nodes.map { $0.mesh?.counters.floods }
    #expect(floods == Array(repeating: 0, count: 64), "nobody is taken for a flood")
  }

  /// A thousand seeds in four parts, which run side by side.
  @Test(arguments: 0..<UInt64(4))
  func `the parts of a cut network are a clique within 10 s after it heals`(part: UInt64) {
    for seed in Seeds.first(1000) where seed % 4 == part {
      var random = SplitMix64(seed: ~seed)
      let count = Int.random(in: 6...8, using: &random)
      var model = MeshNetworkModel()
      model.refuses = random.chance(0.5)
      model.loss = random.chance(0.5) ? 0.05 : 0
      model.multicast = random.chance(0.5) ? 1 : 0.3
      let network = MeshNetwork(nodeCount: count, seed: seed, model: model)
      for index in 1..<count where model.multicast < 1 {
        network.nodes[index].namedPeers = [index - 1]
      }
      network.startAll()
      if network.becomeWhole(withinSeconds: 10) == nil {
        Issue.record("seed \(seed): no clique at the start")
      }
      network.cut((0..<count).map { _ in Int.random(in: 0...2, using: &random) })
      network.run(seconds: Double.random(in: 1...30, using: &random))
      network.heal()
      if network.becomeWhole(withinSeconds: 10) == nil {
        Issue.record("seed \(seed): no clique 10 s after the network healed")
      }
    }
  }

  @Test func `two nodes find together within 10 s however long they were apart`() {
    for seed in Seeds.first(20) {
      let network = MeshNetwork(nodeCount: 2, seed: seed)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.cut([0, 1])
      network.run(seconds: 100 * Double(seed))
      network.heal()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
    }
  }

  @Test func `a node whose address changes again and again departs nowhere`() {
    for seed in Seeds.first(100) {
      var random = SplitMix64(seed: ~seed)
      var model = MeshNetworkModel()
      model.loss = random.chance(0.5) ? 0.05 : 0
      let network = MeshNetwork(nodeCount: 5, seed: seed, model: model)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 5)
      var departures = 0
      network.observer = { if case .departed = $1 { departures += 1 } }
      for _ in 0..<4 {
        network.uproot(.random(in: 0..<5, using: &random))
        network.run(seconds: .random(in: 3...10, using: &random))
      }
      #expect(departures == 0, "seed \(seed)")
      #expect(network.isWhole, "seed \(seed)")
    }
  }

  @Test func `a node whose link was down for 10 s is back within 1 s, as its network changes`() {
    for seed in Seeds.first(50) {
      let network = MeshNetwork(nodeCount: 4, seed: seed)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 30)
      network.cut([1, 0, 0, 0])
      network.give(.networkChanged, to: 0)
      network.run(seconds: 10)
      network.heal()
      network.give(.networkChanged, to: 0)
      #expect(network.becomeWhole(withinSeconds: 1) != nil, "seed \(seed)")
    }
  }

  /// An access point or a switch was off: no node sees that its own network changed.
  @Test func `a group that was apart for 10 s is whole again within 1 s, with nothing told`() {
    var times: [Double] = []
    for seed in Seeds.first(50) {
      let network = MeshNetwork(nodeCount: 6, seed: seed)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 30)
      network.cut(Array(0..<6))
      network.run(seconds: 10)
      network.heal()
      times.append(network.becomeWhole(withinSeconds: 10) ?? .infinity)
    }
    #expect((times.max() ?? .infinity) <= 1, "\(times.sorted())")
  }

  @Test func `nodes that are killed, started and cut at random are always whole again`() {
    for seed in Seeds.first(30) {
      var random = SplitMix64(seed: ~seed)
      var model = MeshNetworkModel()
      model.loss = 0.05
      model.isEncoded = true
      let network = MeshNetwork(nodeCount: 6, seed: seed, model: model)
      network.startAll()
      for _ in 0..<8 {
        let node = Int.random(in: 0..<6, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: network.kill(node, isSilent: random.chance(0.5))
        case 1: network.leave(node)
        case 2: network.cut((0..<6).map { _ in Int.random(in: 0...1, using: &random) })
        default: network.heal()
        }
        network.run(seconds: Double.random(in: 0...12, using: &random))
        for index in 0..<6 where random.chance(0.5) { network.start(index) }
      }
      network.heal()
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 20)
      #expect(network.isWhole, "seed \(seed): it did not last")
      #expect(network.openWireCount == 15, "seed \(seed)")
    }
  }

  @Test func `one-way paths do not keep a group apart, whichever end may dial`() {
    for seed in Seeds.first(40) {
      var random = SplitMix64(seed: ~seed)
      let network = MeshNetwork(nodeCount: 6, seed: seed)
      for one in 0..<6 {
        for other in 0..<one where random.chance(0.6) {
          if random.chance(0.5) {
            network.block(from: one, to: other)
          } else {
            network.block(from: other, to: one)
          }
        }
      }
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.cut((0..<6).map { $0 % 2 })
      network.run(seconds: 30)
      network.heal()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed), healed")
    }
  }

  @Test func `nodes of two groups on one network stay apart`() {
    let network = MeshNetwork(nodeCount: 8, seed: 1)
    for index in 0..<4 { network.nodes[index].group = 1 }
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    network.run(seconds: 60)
    for (index, node) in network.nodes.enumerated() {
      let groups = node.members.compactMap { network.index(of: $0) }.map { $0 / 4 }
      #expect(groups == [Int](repeating: index / 4, count: 3))
    }
  }

  @Test func `a node among 32 sends 20 kbit/s of control traffic at most, headers and all`() {
    var model = MeshNetworkModel()
    model.isCounted = true
    let network = MeshNetwork(nodeCount: 32, seed: 1, model: model)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    network.run(seconds: 5)
    let before = network.nodes.map(\.sent)
    let seconds = 32
    network.run(seconds: Double(seconds))
    let sent = zip(network.nodes, before).map { $0.sent.since($1) }
    #expect(sent.allSatisfy { $0.ipv4Bytes * 8 / seconds <= 20_000 })
    #expect(sent.allSatisfy { $0.ipv6Bytes * 8 / seconds <= 20_000 })
    #expect(sent.allSatisfy { $0.messages >= 31 * seconds / 2 }, "a heartbeat is missing")
  }
}
