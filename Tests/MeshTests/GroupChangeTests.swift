import Mesh
import TestKit
import Testing

/// Our groups or our policy change while a connection is not yet a member's, nor refused.
@Suite struct GroupChangeTests {
  /// The proof comes before the first hello, as where a node joins a group in the moment in which it connects.
  @Test(arguments: [AdmissionPolicy.ask, .groupOnly], [true, false])
  func `who proves the group before its hello comes is a member`(
    policy: AdmissionPolicy, admits: Bool
  ) {
    let bench = Bench(policy: policy)
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.accepted(opened))
    bench.give(.groupsChanged([opened.connection]))
    bench.give(.received(bench.hello(Bench.lower, admits: admits), opened.connection))
    if !admits { bench.give(.received(.invite, opened.connection)) }
    let actions = bench.taken()
    #expect(actions.sent(on: opened.connection).contains(.accept))
    #expect(actions.admitted == [Bench.lower] && actions.invited.isEmpty && actions.closed.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a static stranger's hello to what we were a moment ago is no reason for a rest of 30 s`(
    isOpen: Bool
  ) {
    let bench = Bench()
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.lower, group: false)
    let dials = bench.taken().dials
    if !isOpen { bench.give(.groupsChanged([])) }
    for dial in dials { bench.give(.dialled(dial, opened)) }
    if isOpen { bench.give(.groupsChanged([])) }
    bench.give(.received(bench.hello(Bench.lower, admits: false), opened.connection))
    bench.pass(seconds: 0.6)
    let actions = bench.taken()
    #expect(actions.closed(opened.connection) == .notAdmitted)
    #expect(!actions.contains { if case .stranger = $0 { true } else { false } }, "not known yet")
    #expect(actions.dialledAddresses == [Bench.address(1)])
    // Once: what answers now answers to what we are now.
    let next = bench.open(Bench.lower, group: false)
    for dial in actions.dials { bench.give(.dialled(dial, next)) }
    bench.give(.received(bench.hello(Bench.lower, admits: false), next.connection))
    bench.pass(seconds: 29)
    #expect(bench.taken().dials.isEmpty)
  }

  @Test func `a decline of what we were before is no reason for a rest of 30 s`() {
    let bench = Bench(policy: .open)
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(bench.hello(Bench.lower, admits: false), opened.connection))
    bench.give(.groupsChanged([]))
    bench.give(.received(.decline(Decline(words: "not admitted")), opened.connection))
    bench.pass(seconds: 0.6)
    let actions = bench.taken()
    #expect(actions.closed(opened.connection) == .notAdmitted)
    #expect(actions.dialledAddresses == [Bench.address(1)])
  }

  @Test func `a member of a group that we just joined may expel us all the same`() {
    let bench = Bench()
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.accepted(opened))
    bench.give(.groupsChanged([opened.connection]))
    bench.give(.received(bench.hello(Bench.lower), opened.connection))
    _ = bench.taken()
    bench.give(.received(.decline(Decline(words: "no")), opened.connection))
    #expect(bench.taken().departed == [.expelled])
    bench.pass(seconds: 20)
    #expect(bench.taken().dials.isEmpty)
  }

  /// The first node's user makes a group, or it is in one; the second, which calls the first, joins it at any moment
  /// of that.
  @Test(arguments: [AdmissionPolicy.ask, .groupOnly], [true, false])
  func `two nodes are together within 3 s whenever the one that calls joins the other's group`(
    policy: AdmissionPolicy, isNew: Bool
  ) {
    for seed in Seeds.first(400) {
      var random = SplitMix64(seed: ~seed)
      var model = MeshNetworkModel()
      model.multicast = 0
      let network = MeshNetwork(nodeCount: 2, seed: seed, model: model)
      for node in network.nodes { node.policy = policy }
      (network.nodes[0].group, network.nodes[1].group) = (isNew ? 0 : 2, 1)
      network.nodes[1].namedPeers = [0]
      network.startAll()
      network.run(seconds: .random(in: 0...0.15, using: &random))
      if isNew { network.regroup(0, to: 2) }
      network.run(seconds: .random(in: 0...0.03, using: &random))
      network.regroup(1, to: 2)
      #expect(network.becomeWhole(withinSeconds: 3) != nil, "seed \(seed)")
      network.run(seconds: 40)
      #expect(network.isWhole, "seed \(seed)")
    }
  }
}
