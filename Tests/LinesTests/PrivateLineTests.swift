import Cryptography
import RTP
import TestKit
import Testing

@testable import Lines

/// Lines that only those know of who are on them.
@Suite struct PrivateLineTests {
  private var pair = CallPair()
  private let line = LineTests.name("board")
  private var random = SplitMix64(seed: 5)

  init() throws {
    try pair.desks[0].makePrivateLine(line, PrivateLineID(using: &random))
    pair.post()
  }

  private mutating func settle() { for _ in 0..<4 { pair.post() } }

  private mutating func add(_ node: Int, by other: Int = 0) throws {
    try pair.desks[other].setMember(CallPair.nodes[node], isOn: true, ofPrivateLine: line)
    settle()
  }

  private mutating func join(_ node: Int) throws {
    try pair.desks[node].join(line, isPrivate: false)
    settle()
  }

  private func view(_ node: Int) -> LineView? {
    pair.desks[node].lines.first { $0.name == line }
  }

  private func isRouted(_ node: Int, _ talker: Int) -> Bool {
    pair.desks[node].routing.privateLines.values.contains {
      $0.gain > 0 && $0.members.contains(CallPair.nodes[talker])
    }
  }

  @Test mutating func `who is added joins by its own will, and nobody else knows of the line`()
    throws
  {
    let nodes = CallPair.nodes
    #expect(view(0)?.isPrivate == true && view(0)?.isJoined == true)
    #expect(view(1) == nil && view(2) == nil)
    try add(1)
    #expect(view(1)?.invitedBy == nodes[0] && view(1)?.isJoined == false)
    #expect(view(0)?.invited == [nodes[1]] && view(0)?.members == [])
    // Nothing is sent before it joins.
    try pair.tap(0, line)
    #expect(pair.heardAlone(0).isEmpty && pair.desks[0].routing.talk.isEmpty)
    try join(1)
    #expect(pair.heardAlone(0) == [nodes[1]])
    #expect(view(1)?.members == [nodes[0]] && view(1)?.talkers == [nodes[0]])
    #expect(view(0)?.members == [nodes[1]] && view(0)?.invited == [])
    #expect(isRouted(1, 0) && isRouted(0, 1))
    #expect(pair.desks[1].keys.first { $0.key.name == line }?.talkers == [nodes[0]])
    #expect(view(2) == nil && pair.desks[2].routing.privateLines.isEmpty)
    try pair.desks[1].setListening(false, to: line)
    #expect(!isRouted(1, 0))
    // A key for several lines talks on a private one as well.
    let key = LineTests.name("both")
    try pair.desks[1].setKey(try Key(key, lines: [line, .all]))
    try pair.tap(1, key)
    #expect(pair.heardAlone(1) == [nodes[0]] && pair.desks[1].routing.talk == .everyone)
  }

  @Test mutating func `whoever is on the line adds and removes, and who is removed is told`() throws
  {
    let nodes = CallPair.nodes
    try add(1)
    try join(1)
    try add(2, by: 1)
    try join(2)
    try pair.tap(0, line)
    #expect(pair.heardAlone(0) == [nodes[1], nodes[2]])
    #expect(view(2)?.members == [nodes[0], nodes[1]])
    try pair.desks[1].setMember(nodes[2], isOn: false, ofPrivateLine: line)
    settle()
    #expect(pair.heardAlone(0) == [nodes[1]])
    #expect(view(2) == nil && pair.desks[2].keys.allSatisfy { $0.key.name != line })
    #expect(!isRouted(0, 2))
    // It can be invited again, and asks nobody's leave to say no.
    try add(2)
    #expect(view(2)?.invitedBy != nil)
    try pair.desks[2].leaveLine(line)
    settle()
    #expect(view(2) == nil && view(0)?.invited == [] && view(1)?.invited == [])
    try pair.desks[1].leaveLine(line)
    settle()
    #expect(view(0)?.members == [] && pair.heardAlone(0).isEmpty)
    #expect(throws: LineError.notPrivate(line)) {
      try pair.desks[1].setMember(nodes[0], isOn: false, ofPrivateLine: line)
    }
  }

  @Test mutating func `nobody brings itself onto a line, whatever it knows of it`() throws {
    let nodes = CallPair.nodes
    try add(1)
    try join(1)
    try add(2)
    try join(2)
    let former = try #require(pair.desks[2].privates.lines[line])
    try pair.desks[0].setMember(nodes[2], isOn: false, ofPrivateLine: line)
    settle()
    var told = PrivateLineTold(id: former.id)
    (told.isJoined, told.isTalking) = (true, true)
    var entries = former.roster.entries
    entries[nodes[2]] = .init(count: 1000, isOn: true)
    entries[nodes[1]] = .init(count: 1000, isOn: false)
    let roster = try #require(PrivateRoster(entries: entries))
    told.roster = .init(name: line, members: roster)
    var content = CallContent()
    content.privateLines = [told]
    let message = LineMessage.calls(version: LineVersion(instance: 9, count: 1), content)
    for node in 0..<2 {
      try pair.desks[node].take(message.octets, of: nodes[2], nowNanoseconds: pair.now)
    }
    settle()
    try pair.tap(0, line)
    #expect(pair.heardAlone(0) == [nodes[1]] && !isRouted(0, 2) && !isRouted(1, 2))
    #expect(view(1)?.members == [nodes[0]])
  }

  @Test mutating func `a name that stands for two things is joined by what is meant`() throws {
    try pair.desks[2].makeLine(line)
    settle()
    try add(1)
    #expect(throws: LineError.lineAndInvitation(line)) { try join(1) }
    #expect(view(1)?.invitedBy == CallPair.nodes[0] && view(1)?.isPrivate == false)
    try pair.desks[1].join(line, isPrivate: true)
    settle()
    try pair.tap(1, line)
    #expect(pair.desks[1].routing.talk.isEmpty && pair.heardAlone(1) == [CallPair.nodes[0]])
    // The other line of that name is not heard by it.
    let of2 = pair.desks[1].routing.members[CallPair.nodes[2]]?.gains.dropFirst().dropLast() ?? []
    #expect(of2.allSatisfy { $0 == 0 })
    #expect(throws: LineError.noInvitation(line)) {
      try pair.desks[2].join(line, isPrivate: true)
    }
  }

  @Test mutating func `a private line is another than one of its name that was left`() throws {
    let first = try #require(view(0)?.privateID)
    try pair.desks[0].leaveLine(line)
    settle()
    #expect(view(0)?.privateID == nil)
    try pair.desks[0].makePrivateLine(line, PrivateLineID(using: &random))
    settle()
    #expect(view(0)?.privateID != nil && view(0)?.privateID != first)
  }

  @Test mutating func `a call on a private line rings for those on it alone`() throws {
    try add(1)
    try join(1)
    try pair.desks[0].call(.line(line), nowNanoseconds: pair.now)
    settle()
    #expect(pair.stack(1) == "A@board" && pair.stack(2).isEmpty)
    try pair.tap(1, .reply)
    settle()
    #expect(pair.heardAlone(1) == [CallPair.nodes[0]] && pair.desks[0].calls.outgoing.isEmpty)
  }

  @Test mutating func `private lines come back after a restart, without a new invitation`() throws {
    try add(1)
    try join(1)
    try pair.desks[1].setLevel(-6, of: line)
    let settings = try #require(LineSettings(pair.desks[1].settings.octets))
    #expect(settings == pair.desks[1].settings)
    for other in [0, 2] { pair.desks[other].depart(CallPair.nodes[1]) }
    var desk = LineDesk(instance: 2, settings: settings, isTalking: false)
    desk.follow(ownNode: CallPair.nodes[1])
    for other in [0, 2] {
      desk.admit(CallPair.nodes[other])
      pair.desks[other].admit(CallPair.nodes[1])
    }
    pair.desks[1] = desk
    settle()
    try pair.tap(0, line)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]] && view(1)?.levelDecibels == -6)
    let octets = settings.octets
    for count in 0..<octets.count { #expect(LineSettings(Array(octets.prefix(count))) == nil) }
  }

  @Test mutating func `there are bounds, and words for each`() throws {
    for number in 1..<8 {
      try pair.desks[0].makePrivateLine(
        LineTests.name("p \(number)"), PrivateLineID(using: &random))
    }
    #expect(throws: LineError.tooManyPrivateLines) {
      try pair.desks[0].makePrivateLine(LineTests.name("p 8"), PrivateLineID(using: &random))
    }
    #expect(pair.desks[0].lines.count == 9)
    #expect(throws: LineError.lineExists(line)) {
      try pair.desks[0].makePrivateLine(line, PrivateLineID(using: &random))
    }
    for number in 1..<24 {
      try pair.desks[0].setMember(LineTests.node(number), isOn: true, ofPrivateLine: line)
    }
    #expect(throws: LineError.privateLineFull(line)) {
      try pair.desks[0].setMember(LineTests.node(30), isOn: true, ofPrivateLine: line)
    }
    #expect(throws: LineError.notOnPrivateLine(line)) {
      try pair.desks[0].setMember(LineTests.node(30), isOn: false, ofPrivateLine: line)
    }
    // Who was removed makes room.
    try pair.desks[0].setMember(LineTests.node(3), isOn: false, ofPrivateLine: line)
    try pair.desks[0].setMember(LineTests.node(30), isOn: true, ofPrivateLine: line)
    for number in 0..<8 where number > 0 {
      try pair.desks[0].setMember(
        CallPair.nodes[1], isOn: true, ofPrivateLine: LineTests.name("p \(number)"))
    }
    let letters = pair.desks[0].letters(nowNanoseconds: pair.now + CallPair.second)
    #expect(letters.contains { $0.node == CallPair.nodes[1] })
    #expect(letters.allSatisfy { $0.octets.count <= 4096 }, "what the lane takes")
  }

  @Test func `what is told is read as it is written, and what breaks a rule is refused`() throws {
    var random = SplitMix64(seed: 1)
    var told = PrivateLineTold(id: PrivateLineID(using: &random))
    (told.isJoined, told.isListening, told.digest) = (true, true, 1 << 63)
    var roster = PrivateRoster()
    for number in 0..<24 { _ = roster.set(LineTests.node(number), isOn: true) }
    _ = roster.set(LineTests.node(3), isOn: false)
    #expect(roster.members.count == 23)
    told.roster = .init(name: line, members: roster)
    var content = CallContent()
    content.privateLines = [told, PrivateLineTold(id: PrivateLineID(using: &random))]
    let version = LineVersion(instance: 5, count: 7)
    let message = LineMessage.calls(version: version, content)
    #expect(try LineMessage(message.octets) == message)
    for count in 0..<message.octets.count {
      #expect(throws: LineViolation.malformed) {
        try LineMessage(Array(message.octets.prefix(count)))
      }
    }
    for index in message.octets.indices {
      var damaged = message.octets
      damaged[index] ^= 0xFF
      _ = try? LineMessage(damaged)
    }
    content.privateLines = [told, told]
    #expect(throws: LineViolation.badNumber) {
      try LineMessage(LineMessage.calls(version: version, content).octets)
    }
    content.privateLines = (0..<9).map { _ in PrivateLineTold(id: PrivateLineID(using: &random)) }
    #expect(throws: LineViolation.tooManyPrivateLines) {
      try LineMessage(LineMessage.calls(version: version, content).octets)
    }
  }

  /// Whatever happens in which order on which way: in the end all on a line agree, and who is on it is heard there.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `with random additions, removals, partitions and restarts all come to agree`(seed: UInt64)
    throws
  {
    let network = LineNetwork(nodes: 5, seed: seed)
    var random = SplitMix64(seed: seed)
    network.change(0) { try $0.makePrivateLine(line, PrivateLineID(using: &random)) }
    for _ in 0..<60 {
      let (node, other) = (network.draw(0..<5), network.draw(0..<5))
      switch network.draw(0..<10) {
      case 0..<4:
        network.change(node) {
          try $0.setMember(LineTests.node(other), isOn: true, ofPrivateLine: line)
        }
      case 4: network.change(node) { try $0.leaveLine(line) }
      case 5:
        network.change(node) {
          try $0.setMember(LineTests.node(other), isOn: false, ofPrivateLine: line)
        }
      case 6 where node != other:
        if network.isMember(node, of: other) {
          network.part(node, other)
        } else {
          network.meet(node, other)
        }
      case 7: network.restart(node)
      default: network.change(node) { try $0.join(line, isPrivate: false) }
      }
      network.run(milliseconds: network.draw(1..<400))
    }
    for node in 0..<5 { for other in 0..<node { network.meet(node, other) } }
    network.run(milliseconds: 3000)
    let on = (0..<5).filter { network.desks[$0].privates.lines[line] != nil }
    let rosters = on.map { network.desks[$0].privates.lines[line]?.roster }
    #expect(Set(rosters).count <= 1, "seed \(seed)")
    for node in on {
      let people = network.desks[node].privates.people(on: line)
      #expect(people == on.filter { $0 != node }.map(LineTests.node), "seed \(seed), node \(node)")
    }
  }
}
