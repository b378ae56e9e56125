import Cryptography
import Mesh
import TestKit
import Testing

/// Members told of by members, and hearsay within bounds (§ Attacks).
@Suite struct GossipTests {
  private func notice(_ node: NodeID, instance: UInt64 = 1, at number: UInt32 = 50)
    -> NodeRecord
  {
    NodeRecord(node: node, instance: instance, addresses: [Bench.address(number)])
  }

  private func gossip(_ notices: [NodeRecord]) -> Message {
    .heartbeat(Heartbeat(memberCount: notices.count, members: notices))
  }

  @Test func `one known peer is enough for the whole group, without multicast`() {
    for seed in Seeds.first(20) {
      var model = MeshNetworkModel()
      model.multicast = 0
      let network = MeshNetwork(nodeCount: 12, seed: seed, model: model)
      for index in 0..<12 { network.nodes[index].namedPeers = [Int(seed) % 12] }
      network.nodes[Int(seed) % 12].namedPeers = []
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 5) != nil, "seed \(seed)")
    }
  }

  @Test func `a chain of nodes that each know one other becomes a clique`() {
    var model = MeshNetworkModel()
    model.multicast = 0
    model.isEncoded = true
    let network = MeshNetwork(nodeCount: 16, seed: 5, model: model)
    for index in 1..<16 { network.nodes[index].namedPeers = [index - 1] }
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
  }

  @Test func `whom a member tells of is connected to`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.received(gossip([notice(Bench.id(0x20))]), connection))
    _ = bench.taken()
    bench.pass(seconds: 0.03)
    #expect(bench.taken().dialledAddresses == [Bench.address(50)])
  }

  @Test func `only members' gossip counts`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower, group: false)
    bench.give(.received(gossip([notice(Bench.id(0x20))]), connection))
    bench.pass(seconds: 3)
    let actions = bench.taken()
    #expect(actions.dials.isEmpty && actions.closed(connection) == .outOfTurn)
  }

  @Test func `a new member is told of all others, and all others of it, at once`() {
    let bench = Bench()
    let first = bench.accept(Bench.lower)
    bench.pass(seconds: 0.1)
    _ = bench.taken()
    let second = bench.accept(Bench.higher)
    bench.pass(seconds: 0.1)
    let actions = bench.taken()
    func told(_ connection: ConnectionID) -> [NodeID] {
      var nodes: [NodeID] = []
      for case .heartbeat(let heartbeat) in actions.sent(on: connection) {
        nodes += heartbeat.members.map(\.node)
      }
      return nodes
    }
    #expect(told(first) == [Bench.higher])
    #expect(told(second) == [Bench.lower])
  }

  @Test func `old members are told of in turn`() {
    let bench = Bench()
    let connections = (1...6).map { bench.accept(Bench.id(0x10, $0), attempt: 1) }
    bench.pass(seconds: 0.1)
    _ = bench.taken()
    var told: Set<NodeID> = []
    for _ in 0..<60 {
      for connection in connections {
        bench.give(.received(.heartbeat(Heartbeat(memberCount: 6)), connection))
      }
      bench.pass(seconds: 2)
      for case .heartbeat(let heartbeat) in bench.taken().sent(on: connections[0]) {
        #expect(heartbeat.members.count <= 1)
        told.formUnion(heartbeat.members.map(\.node))
      }
    }
    #expect(told.count == 5)
  }

  @Test func `who has fewer members than we do is told of all again within two heartbeats, once`() {
    let bench = Bench()
    let connections = (1...6).map { bench.accept(Bench.id(0x10, $0), attempt: 1) }
    bench.pass(seconds: 0.1)
    _ = bench.taken()
    var told: [Int] = []
    for _ in 0..<7 {
      for (index, connection) in connections.enumerated() {
        let count = index == 0 ? 4 : 6
        bench.give(.received(.heartbeat(Heartbeat(memberCount: count)), connection))
      }
      bench.pass(seconds: 2)
      for case .heartbeat(let heartbeat) in bench.taken().sent(on: connections[0]) {
        told.append(heartbeat.members.count)
      }
    }
    #expect(told.prefix(2).contains(5), "\(told)")
    #expect(told.count { $0 > 1 } == 1, "\(told)")
  }

  @Test func `gossip of 10 000 members is bounded, and evicts nobody who matters`() {
    let bench = Bench()
    let members = (0..<3).map { bench.accept(Bench.id(0x11, $0)) }
    let lost = bench.accept(Bench.id(0x12))
    bench.give(.closed(lost))
    bench.give(.named(0, [Bench.address(7)]))
    for start in stride(from: 0, to: 10_000, by: 100) {
      let notices = (start..<start + 100).map { notice(Bench.id(0x20, UInt16($0)), at: UInt32($0)) }
      bench.give(.received(gossip(notices), members[start / 100 % 2]))
    }
    let reports = bench.mesh.reports
    #expect(reports.count <= 2 * MeshLimits.gossipedPeersPerMember + 5)
    for node in (0..<3).map({ Bench.id(0x11, $0) }) + [Bench.id(0x12)] {
      #expect(reports.contains { $0.target == .node(node) }, "\(node)")
    }
    #expect(reports.contains { $0.target == .named(0) })
    #expect(bench.mesh.members.count == 3)
    #expect(bench.mesh.counters.hearsayDropped > 6000)
    bench.pass(seconds: 3)
    let underWay = bench.mesh.reports.count {
      if case .connecting = $0.progress { true } else { false }
    }
    #expect((20...34).contains(underWay), "32 to hearsay, two to those who matter")
  }

  @Test func `10 000 announcements are bounded, and a real one gets in when false ones failed`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    for number in 0..<10_000 {
      let node = Bench.id(0x20, UInt16(number))
      bench.discover(node, (0..<100).map { Bench.address(UInt32(number) &* 100 &+ $0) })
    }
    #expect(bench.mesh.reports.count <= MeshLimits.announcedPeers + 1)
    for _ in 0..<4 {
      bench.keepAlive(member, seconds: 2)
      for dial in bench.taken().dials { bench.give(.failed(dial)) }
    }
    let real = Bench.id(0x70)
    bench.discover(real)
    #expect(bench.mesh.reports.contains { $0.target == .node(real) })
    #expect(bench.mesh.members.count == 1)
    #expect(bench.mesh.reports.count <= MeshLimits.announcedPeers + 1)
  }

  @Test func `hearsay never makes a ghost, or displaces an address that is known`() {
    let bench = Bench()
    let liar = bench.accept(Bench.higher)
    let member = bench.accept(Bench.lower, instance: 3)
    let lies = (0..<20).map {
      notice(Bench.lower, instance: .max >> 2, at: 200 + UInt32($0))
    }
    bench.give(.received(gossip(lies), liar))
    #expect(bench.mesh.isMember(Bench.lower, instance: 3))
    bench.give(.closed(member))
    bench.give(.received(gossip(lies), liar))
    _ = bench.taken()
    bench.pass(seconds: 0.6)
    #expect(bench.taken().dialledAddresses.first == Bench.address(99, port: 5005))
    _ = bench.accept(Bench.lower, instance: 3, attempt: 2)
    #expect(bench.mesh.isMember(Bench.lower, instance: 3))
  }

  @Test func `who said goodbye is not called because somebody has not heard it yet`() {
    let bench = Bench()
    let informant = bench.accept(Bench.higher)
    let leaver = bench.accept(Bench.lower, instance: 3)
    bench.give(.received(.goodbye(Goodbye(node: Bench.lower, instance: 3)), leaver))
    bench.give(.received(gossip([notice(Bench.lower, instance: 3)]), informant))
    _ = bench.taken()
    bench.pass(seconds: 3)
    #expect(bench.taken().dials.isEmpty)
    bench.give(.received(gossip([notice(Bench.lower, instance: 4)]), informant))
    bench.pass(seconds: 0.03)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `who is up but not for us is dialled by gossip once in 8 s at most`() {
    let bench = Bench()
    let informant = bench.accept(Bench.higher)
    var dials = 0
    for _ in 0..<600 {
      bench.give(.received(gossip([notice(Bench.lower)]), informant))
      bench.pass(seconds: 0.2)
      for dial in bench.taken().dials {
        dials += 1
        bench.give(.failed(dial))
      }
    }
    #expect((10...24).contains(dials), "\(dials) in 120 s")
  }

  @Test func `hearsay that nothing came of is forgotten`() {
    let bench = Bench()
    bench.discover(Bench.lower, shares: false)
    #expect(bench.mesh.reports.count == 1)
    bench.pass(seconds: 599)
    #expect(bench.mesh.reports.count == 1)
    bench.pass(seconds: 2)
    #expect(bench.mesh.reports.isEmpty)
    bench.discover(Bench.lower, shares: false)
    bench.give(.lost(Bench.lower))
    #expect(bench.mesh.reports.isEmpty)
  }
}
