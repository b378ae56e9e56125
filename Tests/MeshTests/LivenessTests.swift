import Mesh
import TestKit
import Testing

/// Heartbeats, goodbyes, and how long it takes to notice.
@Suite struct LivenessTests {
  @Test func `a heartbeat goes out every two seconds`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 0.5)
    _ = bench.taken()
    bench.keepAlive(connection, seconds: 20)
    #expect(bench.taken().sent(on: connection).count == 10)
  }

  @Test func `nothing for three heartbeats, and a member is gone, not before`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 10)
    _ = bench.taken()
    bench.give(.received(.heartbeat(Heartbeat()), connection))
    bench.pass(seconds: 5.8)
    #expect(bench.taken().departed.isEmpty)
    bench.pass(seconds: 0.2)
    let actions = bench.taken()
    #expect(actions.departed == [.silent])
    #expect(actions.closed(connection) == .silent)
  }

  @Test func `a member whose heartbeats starve behind its voice stays, for up to 15 s`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 10)
    bench.give(.received(.heartbeat(Heartbeat()), connection))
    _ = bench.taken()
    var (asked, departures) = (0, [DepartureReason]())
    for _ in 0..<149 {
      bench.pass(seconds: 0.1)
      let actions = bench.taken()
      departures += actions.departed
      for case .listen(let node) in actions {
        #expect(node == Bench.lower)
        asked += 1
        bench.give(.sounded(node, atNanoseconds: bench.now - .seconds(0.02)))
      }
    }
    #expect(departures.isEmpty)
    // Once for each sign, not in each tick.
    #expect(asked == 3)
    bench.pass(seconds: 0.2)
    #expect(bench.taken().departed == [.silent])
  }

  @Test func `a heartbeat after a time of nothing but media begins the 15 s anew`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.received(.heartbeat(Heartbeat()), connection))
    bench.pass(seconds: 5.5)
    bench.give(.sounded(Bench.lower, atNanoseconds: bench.now))
    bench.pass(seconds: 5)
    bench.give(.received(.heartbeat(Heartbeat()), connection))
    bench.pass(seconds: 5.5)
    bench.give(.sounded(Bench.lower, atNanoseconds: bench.now))
    bench.pass(seconds: 5.5)
    #expect(bench.taken().departed.isEmpty)
  }

  @Test(arguments: [1.1, 4, 5.5])
  func `media that came too long ago keep nobody, so that the dead are gone as soon as ever`(
    ago: Double
  ) {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.received(.heartbeat(Heartbeat()), connection))
    _ = bench.taken()
    bench.pass(seconds: 5.5)
    #expect(bench.taken().contains(.listen(Bench.lower)))
    bench.give(.sounded(Bench.lower, atNanoseconds: bench.now - .seconds(ago)))
    bench.pass(seconds: 0.5)
    #expect(bench.taken().departed == [.silent])
  }

  @Test func `media make nobody a member`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.closed(connection))
    _ = bench.taken()
    bench.give(.sounded(Bench.lower, atNanoseconds: bench.now))
    bench.give(.sounded(Bench.higher, atNanoseconds: bench.now))
    bench.pass(seconds: 0.1)
    #expect(bench.mesh.members.isEmpty)
  }

  @Test func `a killed machine is gone within 6 s everywhere, a killed process at once`() {
    for seed in Seeds.first(20) {
      let network = MeshNetwork(nodeCount: 5, seed: seed)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 17)
      network.kill(2)
      let gone = network.becomeWhole(withinSeconds: 6)
      #expect(gone != nil, "seed \(seed)")
      network.kill(3, isSilent: false)
      #expect(network.becomeWhole(withinSeconds: 0.1) != nil, "seed \(seed)")
    }
  }

  @Test(arguments: [true, false])
  func `a node is back within 2 s of its restart, seen by multicast or not`(hasMulticast: Bool) {
    for seed in Seeds.first(40) {
      var model = MeshNetworkModel()
      model.multicast = hasMulticast ? 1 : 0
      let network = MeshNetwork(nodeCount: 5, seed: seed, model: model)
      for index in 1..<5 { network.nodes[index].namedPeers = [0] }
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 20)
      network.kill(2, isSilent: seed % 2 == 0)
      network.run(seconds: Double(seed) / 2)
      network.start(2)
      #expect(network.becomeWhole(withinSeconds: 2) != nil, "seed \(seed)")
    }
  }

  @Test func `a goodbye releases at once, everywhere, and nobody calls the leaver`() {
    let network = MeshNetwork(nodeCount: 6, seed: 3)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    network.run(seconds: 5)
    var reasons: [DepartureReason] = []
    var dials = 0
    network.observer = {
      if case .departed(_, let reason) = $1 { reasons.append(reason) }
      if case .dial = $1 { dials += 1 }
    }
    network.leave(1)
    #expect(network.becomeWhole(withinSeconds: 0.1) != nil)
    #expect(reasons.count { $0 == .goodbye } == 5)
    network.run(seconds: 60)
    #expect(dials == 0)
    network.observer = nil
    network.start(1)
    #expect(network.becomeWhole(withinSeconds: 2) != nil)
  }

  @Test func `a static peer that said goodbye is called until it is back, if it calls nobody`() {
    var model = MeshNetworkModel()
    model.multicast = 0
    let network = MeshNetwork(nodeCount: 2, seed: 1, model: model)
    network.nodes[0].namedPeers = [1]
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 5) != nil)
    network.leave(1)
    network.run(seconds: 100)
    network.nodes[1].memory = MeshMemory()
    network.start(1)
    #expect(network.becomeWhole(withinSeconds: 31) != nil)
  }

  @Test func `after a goodbye there is nothing left to do`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.discover(Bench.id(0x11))
    bench.pass(seconds: 0.03)
    let dial = bench.taken().dials[0]
    bench.give(.leave)
    let actions = bench.taken()
    #expect(actions.contains(.abandon(dial)))
    #expect(actions.departed == [.leaving] && actions.closed(connection) == .leaving)
    guard case .goodbye(let goodbye)? = actions.sent(on: connection).last else {
      Issue.record("no goodbye")
      return
    }
    #expect(goodbye.node == Bench.own && goodbye.instance == 7)
    #expect(bench.mesh.nextDeadlineNanoseconds == .max)
    let late = bench.open(Bench.lower)
    bench.give(.dialled(dial, late))
    #expect(bench.taken() == [.close(late.connection, .leaving)])
  }

  @Test func `a forged goodbye is ignored: another's, another run's, another connection's`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower, instance: 3)
    let forger = bench.accept(Bench.higher, instance: 3)
    let stranger = bench.open(Bench.id(0x30), group: false)
    bench.give(.accepted(stranger))
    _ = bench.taken()
    let goodbye = Message.goodbye(Goodbye(node: Bench.lower, instance: 3))
    bench.give(.received(goodbye, forger))
    bench.give(.received(goodbye, stranger.connection))
    bench.give(.received(goodbye, ConnectionID(rawValue: 77)))
    bench.give(.received(.goodbye(Goodbye(node: Bench.lower, instance: 2)), member))
    #expect(bench.taken().departed.isEmpty)
    #expect(bench.mesh.isMember(Bench.lower, instance: 3))
    bench.give(.received(goodbye, member))
    #expect(bench.taken().departed == [.goodbye])
  }
}
