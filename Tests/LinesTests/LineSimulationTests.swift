import Cryptography
import TestKit
import Testing

@testable import Lines

/// Many nodes, lines, keys, partitions and restarts in virtual time.
@Suite struct LineSimulationTests {
  private static let names = (0..<8).map { LineTests.name("line \($0)") }

  /// Each fourth seed has 32 nodes.
  ///
  /// A change is judged by ten, the night by two thousand; COMLINK_SEEDS says how many.
  @Test(arguments: Seeds.many(Seeds.areAll ? 2000 : 10))
  func `who hears whom is what keys and lines say half a second after the last change`(
    seed: UInt64
  ) {
    let nodes = seed % 4 == 1 ? 32 : 10
    let world = LineWorld(nodes: nodes, seed: seed)
    world.begin(seed: seed)
    // Some are busy, in some hardly anything happens for a minute.
    let pause = seed % 3 == 0 ? 200 : nodes == 32 ? 30 : 60
    for _ in 0..<(nodes == 32 ? 300 : 400) where world.failure == nil {
      world.act()
      world.run(milliseconds: world.draw(0..<2 * pause))
    }
    // When all rest, all is judged.
    world.run(milliseconds: 3000)
    if let failure = world.failure { Issue.record("seed \(seed): \(failure)") }
    #expect(world.heardCount > 0 && world.judged > 10 * nodes * nodes, "somebody talks")
    #expect(world.heardWays & ~1 != 0, "not on all only")
  }

  @Test func `the simulation finds a latch nobody can see, and a voice that nobody may hear`() {
    for isTalking in [true, false] {
      let world = LineWorld(nodes: 8, seed: 1)
      world.begin(seed: 1)
      #expect(world.failure == nil)
      // The model is told of what was not done, or not of what was.
      if isTalking {
        world.network.change(3) { try $0.setTalk(true) }
      } else {
        world.model.setTalk(true, 3)
        world.settle(3)
      }
      world.run(milliseconds: 800)
      #expect(world.failure != nil)
    }
  }

  /// What a node does that others are to see.
  private static func show(on network: LineNetwork, nodes: Int) {
    let (node, now) = (network.draw(0..<nodes), network.now)
    let name = network.draw(0..<10) == 0 ? .all : names[network.draw(0..<names.count)]
    switch network.draw(0..<6) {
    case 0: network.change(node) { try $0.makeLine(name) }
    case 1, 2: network.change(node) { try $0.joinLine(name) }
    case 3: network.change(node) { try $0.leaveLine(name) }
    case 4:
      let own = names[node % names.count]
      network.change(node) { try $0.press(own, nowNanoseconds: now) }
    default: network.change(node) { try $0.release(name, nowNanoseconds: now) }
    }
  }

  /// Whether all know which lines there are, who is on them and who talks, as those say it themselves; how many talk.
  private static func checkKnown(_ network: LineNetwork, _ comment: String) -> Int {
    let own = network.desks.map { desk in
      Dictionary(
        uniqueKeysWithValues: desk.lines.filter(\.isJoined).map { ($0.name, $0.isTalking) })
    }
    let lines = Set(own.flatMap(\.keys))
    for (node, desk) in network.desks.enumerated() {
      #expect(Set(desk.lines.map(\.name)) == lines, "\(comment): lines that \(node) knows")
      for line in desk.lines {
        let others = own.indices.filter { $0 != node }
        let members = others.filter { own[$0][line.name] != nil }.map(LineTests.node)
        let talkers = others.filter { own[$0][line.name] == true }.map(LineTests.node)
        #expect(
          Set(line.members) == Set(members), "\(comment): who \(node) sees on \(line.name)")
        #expect(
          Set(line.talkers) == Set(talkers), "\(comment): who \(node) sees talk on \(line.name)")
      }
    }
    return own.count { $0.values.contains(true) }
  }

  /// Members are told each 250 ms at most, so that many changes in a row leave 50 ms for the way; one after a rest has
  /// all of the time, be it lost once.
  @Test(arguments: [false, true])
  func `lines, who is on them and who talks are known to 32 nodes within 0.3 s of the last change`(
    areMany: Bool
  ) {
    for seed in Seeds.first(2) {
      let nodes = 32
      let network = LineNetwork(
        nodes: nodes, seed: seed, slowMilliseconds: areMany ? 40..<48 : 60..<200)
      for (node, name) in Self.names.enumerated() {
        network.change(node) { try $0.makeLine(name) }
      }
      network.run(milliseconds: 1000)
      for node in 0..<nodes {
        network.change(node) { try $0.joinLine(Self.names[node % Self.names.count]) }
      }
      network.run(milliseconds: 1000)
      var talking = 0
      for round in 0..<24 {
        for _ in 0..<(areMany ? network.draw(1..<20) : 1) {
          Self.show(on: network, nodes: nodes)
          if areMany { network.run(milliseconds: network.draw(0..<60)) }
        }
        network.run(milliseconds: 300)
        talking += Self.checkKnown(network, "seed \(seed) round \(round)")
        network.run(milliseconds: areMany ? network.draw(1..<300) : 400)
      }
      #expect(talking > 10, "seed \(seed): somebody talks")
    }
  }

  @Test func `halves of a group that meet again know each other's lines and talkers`() {
    let network = LineNetwork(nodes: 6, seed: 3)
    func crossing(_ body: (Int, Int) -> Void) {
      for one in 0..<3 { for other in 3..<6 { body(one, other) } }
    }
    crossing { network.part($0, $1) }
    network.run(milliseconds: 100)
    // The same name on both sides is one line afterwards.
    for node in [0, 3] { network.change(node) { try $0.makeLine(Self.names[0]) } }
    network.run(milliseconds: 500)
    for node in [1, 4] { network.change(node) { try $0.joinLine(Self.names[0]) } }
    network.change(4) {
      try $0.press(Self.names[0], nowNanoseconds: network.now)
      try $0.release(Self.names[0], nowNanoseconds: network.now)
    }
    network.run(milliseconds: 500)
    let hearing = LineHearing(network)
    #expect(!hearing.hears(0, 4) && hearing.hears(3, 4))
    crossing { network.meet($0, $1) }
    network.run(milliseconds: 500)
    hearing.follow()
    #expect((0..<6).filter { hearing.hears($0, 4) } == [0, 1, 3])
    for desk in network.desks { #expect(desk.lines.map(\.name) == [.all, Self.names[0]]) }
    #expect(Self.checkKnown(network, "met") == 1)
  }

  @Test func `64 members with 64 lines are told of in 30 kbit/s`() {
    let (nodes, seconds) = (64, 10)
    let network = LineNetwork(nodes: nodes, seed: 5, stepMilliseconds: 20)
    for node in 0..<nodes {
      network.change(node) {
        try $0.makeLine(LineTests.name("a line of 30 bytes, number  \(10 + node)"))
      }
    }
    network.run(milliseconds: 1000)
    for node in 0..<nodes {
      for other in 1..<24 {
        network.change(node) {
          try $0.joinLine(
            LineTests.name("a line of 30 bytes, number  \(10 + (node + other) % nodes)"))
        }
      }
    }
    network.run(milliseconds: 2000)
    #expect(network.desks.allSatisfy { $0.lines.count == 65 })
    // Each presses a key every ten seconds and holds it for three, and calls somebody, who talks back for a second.
    let (letters, octets) = (network.sentLetters, network.sentOctets)
    var replies = 0
    for step in 0..<(seconds * 10) {
      for node in 0..<nodes where (step + node) % 100 == 0 {
        network.change(node) { try $0.press(.all, nowNanoseconds: network.now) }
      }
      for node in 0..<nodes where (step + node) % 100 == 30 {
        network.change(node) { try $0.release(.all, nowNanoseconds: network.now) }
      }
      for node in 0..<nodes where (step + node) % 100 == 50 {
        let other = CallTarget.member(network.ids[(node + 7) % nodes])
        network.change(node) { try $0.call(other, nowNanoseconds: network.now) }
      }
      for node in 0..<nodes where (step + node) % 100 == 67 {
        network.change(node) { try $0.press(.reply, nowNanoseconds: network.now) }
      }
      for node in 0..<nodes where (step + node) % 100 == 77 {
        replies += network.desks[node].routing.audiences.count
        network.change(node) { try $0.release(.reply, nowNanoseconds: network.now) }
      }
      network.run(milliseconds: 100)
    }
    // A chunk's head and receipt, TLS records and TCP segments of both.
    let overhead = 2 * (20 + 29 + 52)
    let sent = network.sentOctets - octets + (network.sentLetters - letters) * overhead
    let kilobits = Double(8 * sent) / Double(1000 * nodes * seconds)
    #expect(kilobits < 30 && kilobits > 1, "\(kilobits) kbit/s")
    #expect(replies > nodes / 2, "\(replies) talk back")
  }
}
