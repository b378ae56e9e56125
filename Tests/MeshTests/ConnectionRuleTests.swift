import Mesh
import TestKit
import Testing

/// One connection of a pair, of the living run, of the right node.
@Suite struct ConnectionRuleTests {
  @Test func `two hellos of the same group make a member`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    let actions = bench.taken()
    #expect(actions.admitted == [Bench.lower])
    guard case .hello(let hello)? = actions.sent(on: connection).first else {
      Issue.record("no hello first")
      return
    }
    #expect(hello.node == Bench.own && hello.instance == 7 && hello.admits)
    #expect(bench.mesh.isMember(Bench.lower, instance: 1))
    let addresses = bench.mesh.members.first?.profile.controlAddresses
    #expect(addresses == [Bench.address(99, port: 5005)], "the port told, where it was seen")
  }

  @Test
  func `where there are 128 members a trusted node takes the place of the last, another gets none`()
  {
    let bench = Bench(memory: MeshMemory(trusted: [Bench.id(0x20)]))
    for number in 1...MeshLimits.members { _ = bench.accept(Bench.id(0x10, UInt16(number))) }
    let last = Bench.id(0x10, UInt16(MeshLimits.members))
    #expect(bench.mesh.members.last?.node == last)
    let stranger = bench.accept(Bench.lower)
    #expect(bench.taken().closed(stranger) == .crowded)
    let trusted = bench.accept(Bench.id(0x20))
    let actions = bench.taken()
    #expect(actions.closed(trusted) == nil && actions.admitted.contains(Bench.id(0x20)))
    #expect(actions.departed == [.expelled])
    #expect(bench.mesh.members.count == MeshLimits.members)
    #expect(!bench.mesh.members.contains { $0.node == last })
  }

  @Test func `of two connections that of the higher ID stays, whichever came first`() {
    for isOursFirst in [true, false] {
      let bench = Bench()
      bench.discover(Bench.lower)
      bench.pass(seconds: 0.03)
      let dial = bench.taken().dials[0]
      let ours = bench.open(Bench.lower)
      bench.give(.dialled(dial, ours))
      let hello = bench.hello(Bench.lower)
      if isOursFirst { bench.give(.received(hello, ours.connection)) }
      let theirs = bench.accept(Bench.lower, attempt: 9)
      if !isOursFirst { bench.give(.received(hello, ours.connection)) }
      let actions = bench.taken()
      #expect(actions.closed(theirs) == .duplicate, "ours first: \(isOursFirst)")
      #expect(actions.closed(ours.connection) == nil)
      #expect(actions.departed.isEmpty)
    }
  }

  @Test func `an attempt that has no connection yet is given up when the other's is there`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    let dial = bench.taken().dials[0]
    let theirs = bench.accept(Bench.lower)
    let late = bench.open(Bench.lower)
    bench.give(.dialled(dial, late))
    let actions = bench.taken()
    #expect(actions.contains(.abandon(dial)))
    #expect(actions.closed(late.connection) == .duplicate && actions.closed(theirs) == nil)
  }

  @Test func `of two connections that one end dialled the later attempt stays`() {
    let bench = Bench()
    let second = bench.accept(Bench.higher, attempt: 6)
    let first = bench.accept(Bench.higher, attempt: 5)
    let third = bench.accept(Bench.higher, attempt: 7)
    let actions = bench.taken()
    #expect(actions.closed(first) == .duplicate)
    #expect(actions.closed(second) == .duplicate)
    #expect(actions.closed(third) == nil)
    #expect(actions.admitted.count == 1 && actions.departed.isEmpty)
  }

  @Test func `a member stays one while another connection takes the place of the first`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher, attempt: 5)
    let opened = bench.open(Bench.higher)
    bench.give(.accepted(opened))
    bench.give(.closed(first))
    #expect(bench.taken().departed.isEmpty)
    bench.give(.received(bench.hello(Bench.higher, attempt: 6), opened.connection))
    let actions = bench.taken()
    #expect(actions.departed.isEmpty && actions.closed.isEmpty)
    #expect(bench.mesh.members.count == 1)
    bench.give(.closed(opened.connection))
    #expect(bench.taken().departed == [.disconnected])
  }

  @Test func `simultaneous dials of every pair resolve to one connection, and nobody departs`() {
    for seed in Seeds.first(100) {
      var model = MeshNetworkModel()
      model.delayNanoseconds = 1_000_000...200_000_000
      let network = MeshNetwork(nodeCount: 2, seed: seed, model: model)
      network.nodes[0].namedPeers = [1]
      network.nodes[1].namedPeers = [0]
      var departures = 0
      network.observer = { if case .departed = $1 { departures += 1 } }
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 5) != nil, "seed \(seed)")
      network.run(seconds: 10)
      #expect(network.isWhole, "seed \(seed)")
      #expect(departures == 0, "seed \(seed)")
      #expect(network.openWireCount == 1, "seed \(seed)")
    }
  }

  @Test func `a lower instance is a ghost and refused, with all it says`() {
    let bench = Bench()
    let living = bench.accept(Bench.lower, instance: 5)
    _ = bench.taken()
    let ghost = bench.accept(Bench.lower, instance: 4, attempt: 99)
    bench.give(.received(.mediaKey(MediaKey(stream: 0, ssrc: 1, epoch: 1, octets: [1])), ghost))
    bench.give(.received(.invite, ghost))
    let goodbye = Goodbye(node: Bench.lower, instance: 4)
    bench.give(.received(.goodbye(goodbye), ghost))
    let actions = bench.taken()
    #expect(actions.closed(ghost) == .ghost)
    #expect(actions.closed(living) == nil && actions.departed.isEmpty)
    #expect(!actions.contains { if case .mediaKey = $0 { true } else { false } })
    #expect(bench.mesh.isMember(Bench.lower, instance: 5))
    #expect(!bench.mesh.isMember(Bench.lower, instance: 4))
    #expect(bench.mesh.counters.ghosts == 1)
  }

  @Test func `a ghost is known after a restart of ours`() {
    let bench = Bench()
    _ = bench.accept(Bench.lower, instance: 5)
    #expect(bench.taken().contains(.store))
    let next = Bench(memory: bench.mesh.memory)
    let ghost = next.accept(Bench.lower, instance: 4)
    #expect(next.taken().closed(ghost) == .ghost)
    let living = next.accept(Bench.lower, instance: 5)
    #expect(next.taken().closed(living) == nil)
  }

  @Test func `a higher instance replaces the old one at once and clears its cool-downs`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    let old = bench.accept(Bench.lower, instance: 5)
    bench.give(.closed(old))
    _ = bench.failedWaits(count: 4, within: 20)
    let again = bench.accept(Bench.lower, instance: 5)
    #expect((bench.mesh.reports.first?.failureCount ?? 0) > 0)
    _ = bench.taken()
    let new = bench.accept(Bench.lower, instance: 6)
    let actions = bench.taken()
    #expect(actions.closed(again) == .replaced)
    #expect(actions.closed(new) == nil)
    #expect(actions.departed == [.restarted] && actions.admitted == [Bench.lower])
    #expect(bench.mesh.reports.first?.failureCount == 0)
    #expect(bench.mesh.isMember(Bench.lower, instance: 6))
  }

  @Test func `a connection to ourselves is recognised from either end`() {
    let bench = Bench()
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.own)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.accepted(bench.open(Bench.own)))
    bench.give(.received(bench.hello(Bench.own, instance: 7), opened.connection))
    let actions = bench.taken()
    #expect(actions.closed == [.ourselves, .ourselves])
    #expect(actions.contains(.ourselves(Bench.address(1))))
    bench.pass(seconds: 29)
    #expect(bench.taken().dials.isEmpty)
    bench.pass(seconds: 2)
    #expect(bench.taken().contains(.resolve(.named(0))))
  }

  @Test func `who claims another's ID is refused, and the other stays`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    _ = bench.taken()
    let opened = bench.open(Bench.higher)
    bench.give(.accepted(opened))
    bench.give(.received(bench.hello(Bench.lower, instance: 99), opened.connection))
    let actions = bench.taken()
    #expect(actions.closed(opened.connection) == .wrongIdentity)
    #expect(actions.closed(member) == nil && actions.departed.isEmpty && actions.admitted.isEmpty)
    #expect(bench.mesh.isMember(Bench.lower, instance: 1))
  }

  @Test func `a member's later hello may change its profile, never its identity`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    _ = bench.taken()
    bench.give(.received(bench.hello(Bench.lower, name: "renamed"), connection))
    let changed = bench.taken().compactMap {
      if case .changed(let member) = $0 { member.profile.name } else { nil }
    }
    #expect(changed == ["renamed"])
    bench.give(.received(bench.hello(Bench.higher, name: "forged"), connection))
    bench.give(.received(bench.hello(Bench.lower, instance: 2, name: "forged"), connection))
    #expect(bench.taken().isEmpty)
    #expect(bench.mesh.members.first?.profile.name == "renamed")
  }

  @Test func `a former member at whose only address another answers is looked for no more`() {
    let address = Bench.address(5)
    let dead = NodeRecord(node: Bench.higher, instance: 1, addresses: [address])
    let paired = NodeRecord(node: Bench.id(0xF1), instance: 1, addresses: [address])
    let bench = Bench(memory: MeshMemory(trusted: [paired.node], entries: [dead, paired]))
    bench.pass(seconds: 3)
    let dials = bench.taken().dials
    #expect(dials.count == 2)
    for dial in dials { bench.give(.dialled(dial, bench.open(Bench.id(0xF7)))) }
    #expect(bench.taken().contains(.store))
    #expect(bench.mesh.memory.entries.flatMap(\.addresses).isEmpty)
    #expect(bench.mesh.memory.entries.count == 2, "a lower instance is a ghost all the same")
    #expect(bench.mesh.reports.map(\.target).contains(.node(paired.node)))
    #expect(!bench.mesh.reports.map(\.target).contains(.node(dead.node)))
    bench.pass(seconds: 600)
    #expect(bench.taken().dials.isEmpty)
    // By itself it comes back as before.
    _ = bench.accept(dead.node)
    #expect(bench.mesh.members.map(\.node) == [dead.node])
  }

  @Test func `another node at a peer's address is taken for who it is`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    let other = Bench.id(0x20)
    let opened = bench.open(other)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(bench.hello(other), opened.connection))
    #expect(bench.taken().admitted == [other])
    #expect(!bench.mesh.isMember(Bench.lower, instance: 1))
    #expect(bench.mesh.reports.first?.failureCount == 1)
  }

  @Test func `a static peer's identity is learnt when it answers, and it is called again`() {
    let bench = Bench()
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.higher)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(bench.hello(Bench.higher), opened.connection))
    #expect(bench.taken().admitted == [Bench.higher])
    bench.give(.closed(opened.connection))
    _ = bench.taken()
    bench.pass(seconds: 2)
    #expect(bench.taken().dialledAddresses.contains(Bench.address(1)))
  }

  @Test func `a connection without a hello is closed after 5 s, whatever else it says`() {
    let bench = Bench()
    let opened = bench.open(Bench.lower)
    bench.give(.accepted(opened))
    bench.pass(seconds: 4.9)
    #expect(bench.taken().closed.isEmpty)
    bench.pass(seconds: 0.2)
    #expect(bench.taken().closed(opened.connection) == .late)
    let hasty = bench.open(Bench.lower)
    bench.give(.accepted(hasty))
    bench.give(.received(.heartbeat(Heartbeat()), hasty.connection))
    #expect(bench.taken().closed(hasty.connection) == .outOfTurn)
  }

  @Test func `a connection that comes after its attempt was given up is closed`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    let dial = bench.taken().dials[0]
    bench.pass(seconds: 4)
    let late = bench.open(Bench.lower)
    bench.give(.dialled(dial, late))
    #expect(bench.taken().closed(late.connection) == .duplicate)
  }
}
