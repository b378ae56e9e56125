import Cryptography
import TestKit
import Testing

@testable import Lines

/// Many nodes, lines, keys, partitions and restarts in virtual time.
@Suite struct LineSimulationTests {
  private static let names = (0..<8).map { LineTests.name("line \($0)") }

  /// Something that a user, a device or the network does.
  private static func act(on network: LineNetwork, nodes: Int) {
    let node = network.draw(0..<nodes)
    let name = network.draw(0..<10) == 0 ? .all : names[network.draw(0..<names.count)]
    let now = network.now
    switch network.draw(0..<14) {
    case 0: network.change(node) { try $0.makeLine(name) }
    case 1, 2: network.change(node) { try $0.joinLine(name) }
    case 3: network.change(node) { try $0.leaveLine(name) }
    case 4: network.change(node) { try $0.setListening(now % 2 == 0, to: name) }
    case 5:
      let activation = KeyActivation.allCases[network.draw(0..<KeyActivation.allCases.count)]
      let interlock = network.draw(0..<3)
      network.change(node) {
        var key = try Key(
          name, lines: [name, names[0]], activation: activation,
          interlock: interlock == 0 ? nil : interlock)
        key.isolates = now % 5 == 0
        key.sendsUntreated = now % 7 == 0
        key.mutesWhileTalking = now % 7 == 0
        try $0.setKey(key)
      }
    case 6: network.change(node) { try $0.removeKey(name) }
    case 7, 8: network.change(node) { try $0.press(name, nowNanoseconds: now) }
    case 9: network.change(node) { try $0.release(name, nowNanoseconds: now) }
    case 10:
      network.change(node) {
        try $0.press(name, by: .device(LineTests.name("pedal")), nowNanoseconds: now)
      }
    case 11:
      network.change(node) {
        try $0.press(name, nowNanoseconds: now)
        try $0.release(name, nowNanoseconds: now + 1)
      }
    case 12: network.restart(node)
    default:
      let other = network.draw(0..<nodes)
      guard other != node else { return }
      if network.isMember(node, of: other) {
        network.part(node, other)
      } else {
        network.meet(node, other)
      }
    }
  }

  /// Compares all with all; how many hear somebody.
  @discardableResult
  private static func check(_ network: LineNetwork, nodes: Int, _ comment: String) -> Int {
    var heard = 0
    for talker in 0..<nodes {
      for listener in 0..<nodes where network.isMember(listener, of: talker) {
        let (hears, should) = (
          network.hears(listener, talker), network.shouldHear(listener, talker)
        )
        #expect(hears == should, "\(comment): \(listener) hears \(talker): \(hears)")
        if hears { heard += 1 }
      }
      // A latch that nobody can see would be a talker whom others do not show.
      let own = network.desks[talker].lines.filter(\.isTalking).map(\.name)
      for other in 0..<nodes where network.isMember(other, of: talker) {
        let shown = network.desks[other].lines.filter {
          $0.talkers.contains(LineTests.node(talker))
        }
        #expect(Set(shown.map(\.name)) == Set(own), "\(comment): \(other) shows \(talker)")
      }
    }
    return heard
  }

  @Test func `who hears whom is what keys and lines say half a second after the last change`() {
    for seed in Seeds.first(6) {
      let nodes = seed % 3 == 0 ? 32 : 8
      let network = LineNetwork(nodes: nodes, seed: seed)
      var heard = 0
      for round in 0..<(nodes == 32 ? 12 : 40) {
        for _ in 0..<network.draw(1..<20) {
          Self.act(on: network, nodes: nodes)
          network.run(milliseconds: network.draw(0..<60))
        }
        // What a pedal holds goes within a second, and half a second later all know.
        network.run(milliseconds: 1500)
        heard += Self.check(network, nodes: nodes, "seed \(seed) round \(round)")
      }
      #expect(heard > 50, "seed \(seed): somebody talks")
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
    crossing(network.part)
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
    #expect(!network.hears(0, 4) && network.hears(3, 4))
    crossing(network.meet)
    network.run(milliseconds: 500)
    #expect(network.hears(0, 4) && network.hears(1, 4) && network.hears(3, 4))
    #expect(!network.hears(2, 4) && !network.hears(5, 4))
    for desk in network.desks { #expect(desk.lines.map(\.name) == [.all, Self.names[0]]) }
    Self.check(network, nodes: 6, "met")
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
    // Each presses a key every ten seconds and holds it for three.
    let (letters, octets) = (network.sentLetters, network.sentOctets)
    for step in 0..<(seconds * 10) {
      for node in 0..<nodes where (step + node) % 100 == 0 {
        network.change(node) { try $0.press(.all, nowNanoseconds: network.now) }
      }
      for node in 0..<nodes where (step + node) % 100 == 30 {
        network.change(node) { try $0.release(.all, nowNanoseconds: network.now) }
      }
      network.run(milliseconds: 100)
    }
    // A chunk's head and receipt, TLS records and TCP segments of both.
    let overhead = 2 * (20 + 29 + 52)
    let sent = network.sentOctets - octets + (network.sentLetters - letters) * overhead
    let kilobits = Double(8 * sent) / Double(1000 * nodes * seconds)
    #expect(kilobits < 30 && kilobits > 1, "\(kilobits) kbit/s")
  }
}
