import Cryptography
import Messages
import TestKit
import Testing

/// Whole networks in virtual time.
@Suite(.timeLimit(.minutes(Seeds.areAll ? 120 : 5))) struct StoreAndForwardTests {
  private static func group() throws -> Group { try Group(name: "crew") }

  /// Three nodes that know each other.
  private func network(_ count: Int = 3, seed: UInt64 = 1) throws -> (MessageNetwork, Conversation)
  {
    let group = try Self.group()
    let network = try MessageNetwork(count: count, seed: seed, group: group)
    network.run(seconds: 10)
    return (network, .group(GroupTag(of: group)))
  }

  @Test func `a message to a member is there at once, read by it alone, and acknowledged`() throws {
    let (network, _) = try network()
    let (a, b) = (network.nodes[0], network.nodes[1])
    let message = try #require(
      network.say("Good evening", from: 0, to: .member(b.identity.id)))
    network.run(seconds: 2)
    #expect(b.journal.history.map(\.content) == [.text("Good evening")])
    #expect(b.journal.history.first?.conversation == .member(a.identity.id))
    #expect(network.nodes[2].journal.history.isEmpty)
    #expect(a.desk?.receiptMarks[b.identity.id]?.delivered == message.key.sequence)
    #expect(a.desk?.receiptMarks[b.identity.id]?.read == 0)
    network.read(1, of: a.identity.id)
    network.run(seconds: 2)
    #expect(a.desk?.receiptMarks[b.identity.id]?.read == message.key.sequence)
    #expect(a.journal.state.held.isEmpty)
  }

  @Test func `who is away gets it from a keeper while the sender is away`() throws {
    let (network, group) = try network()
    network.kill(2)
    network.run(seconds: 1)
    let sent = (1...20).compactMap { network.say("call \($0)", from: 0, to: group) }
    #expect(sent.count == 20)
    network.run(seconds: 5)
    network.kill(0)
    try network.start(2)
    network.run(seconds: 5)
    let sender = network.nodes[0].identity.id
    #expect(network.nodes[2].shown(of: sender) == sent.map(\.key.sequence))
    // Nothing is kept on, and the sender learns of it from the keeper when the recipient is away again.
    #expect(network.nodes[1].journal.state.held.isEmpty)
    network.kill(2)
    try network.start(0)
    network.run(seconds: 5)
    #expect(network.nodes[0].journal.state.held.isEmpty)
    #expect(
      network.nodes[0].desk?.receiptMarks[network.nodes[2].identity.id]?.delivered
        == sent.last?.key.sequence)
  }

  @Test func `a keeper cannot read what is for a member`() throws {
    let (network, _) = try network()
    network.kill(2)
    network.run(seconds: 1)
    let text = "only for you, and long enough to be found"
    let message = try #require(
      network.say(text, from: 0, to: .member(network.nodes[2].identity.id)))
    network.run(seconds: 5)
    let kept = try #require(try network.nodes[1].journal.envelope(message.key))
    #expect(!kept.contains(Array(text.utf8)))
    #expect(network.nodes[1].journal.history.isEmpty)
  }

  @Test func `what nobody fetched in its time goes everywhere, and its sender is told`() throws {
    let group = try Self.group()
    let network = try MessageNetwork(count: 3, seed: 3, group: group)
    for node in network.nodes { node.settings.lifetimeSeconds = 86_400 }
    for index in 0..<3 {
      network.kill(index)
      try network.start(index)
    }
    network.run(seconds: 10)
    network.kill(2)
    network.run(seconds: 1)
    let message = try #require(network.say("soon", from: 0, to: .group(GroupTag(of: group))))
    network.run(seconds: 5)
    #expect(network.nodes[1].journal.state.held.count == 1)
    network.sleep(seconds: 86_400)
    network.run(seconds: 5)
    #expect(network.nodes.prefix(2).allSatisfy { $0.journal.state.held.isEmpty })
    let expired = MessageEvent.expired(message.key, [network.nodes[2].identity.id])
    #expect(network.nodes[0].events.contains(expired))
    try network.start(2)
    network.run(seconds: 10)
    #expect(network.nodes[2].journal.history.isEmpty)
    // And the next one comes though the one before never did.
    let next = try #require(network.say("later", from: 0, to: .group(GroupTag(of: group))))
    network.run(seconds: 3)
    #expect(network.nodes[2].shown(of: next.key.sender) == [next.key.sequence])
  }

  @Test func `a keeper that has no room says so, and another keeps it`() throws {
    let (network, _) = try network(4)
    network.nodes[1].settings.keepBytes = 0
    network.nodes[3].settings.keepBytes = 100_000
    for index in [1, 3] {
      network.kill(index)
      try network.start(index)
    }
    network.run(seconds: 5)
    network.kill(2)
    network.run(seconds: 1)
    for _ in 0..<5 {
      _ = network.say("x", from: 0, to: .member(network.nodes[2].identity.id))
    }
    network.run(seconds: 5)
    #expect(network.nodes[1].journal.state.held.isEmpty)
    #expect(network.nodes[3].journal.state.held.count == 5)
    // A quarter of the room is one sender's.
    for _ in 0..<100 {
      _ = network.say(
        String(repeating: "x", count: 1000), from: 0, to: .member(network.nodes[2].identity.id))
    }
    network.run(seconds: 10)
    #expect((network.nodes[3].desk?.keptBytes ?? 0) <= 25_000)
    try network.start(2)
    network.run(seconds: 10)
    #expect(network.nodes[2].journal.history.count == 105)
  }

  @Test func `a disk that takes nothing loses nothing`() throws {
    let (network, group) = try network()
    network.nodes[1].journal.isFailing = true
    let message = try #require(network.say("heard?", from: 0, to: group))
    network.run(seconds: 5)
    #expect(network.nodes[1].journal.history.isEmpty)
    #expect(network.nodes[0].journal.state.held.first?.remaining == [network.nodes[1].identity.id])
    network.nodes[1].journal.isFailing = false
    network.run(seconds: 130)
    #expect(network.nodes[1].shown(of: message.key.sender) == [message.key.sequence])
  }

  @Test
  func `a voice message comes from a keeper, which cannot hear it, before what was said after`()
    throws
  {
    let (network, _) = try network()
    network.kill(2)
    network.run(seconds: 1)
    let to = Conversation.member(network.nodes[2].identity.id)
    let spoken = try #require(network.speak(300_000, from: 0, to: to))
    let said = try #require(network.say("heard it?", from: 0, to: to))
    network.run(seconds: 5)
    network.kill(0)
    let sound = try #require(network.sounds[spoken.key])
    #expect(network.nodes[1].journal.history.isEmpty)
    #expect(network.nodes[1].desk?.keptBytes ?? 0 > sound.count)
    try network.start(2)
    network.run(seconds: 5)
    #expect(
      network.nodes[2].shown(of: spoken.key.sender) == [spoken.key.sequence, said.key.sequence])
    #expect(try network.sound(of: spoken, at: 2) == sound)
    // And the keeper forgets it.
    #expect(network.nodes[1].journal.state.held.isEmpty)
    #expect(network.nodes[1].journal.audioCount == 0)
  }

  @Test func `30 s of voice are there within a second`() throws {
    let (network, group) = try network()
    let spoken = try #require(network.speak(120_000, from: 0, to: group))
    network.run(seconds: 1)
    for index in 1...2 {
      #expect(try network.sound(of: spoken, at: index) == network.sounds[spoken.key])
    }
    #expect(network.nodes[0].journal.state.held.isEmpty)
  }

  /// One network of chance: who says what to whom while all kinds of things happen.
  private func storm(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let group = try Self.group()
    let count = Int.random(in: 3...5, using: &random)
    let network = try MessageNetwork(count: count, seed: seed, group: group)
    let lines = [LineTag.named("stage"), .hidden([UInt8](repeating: 7, count: 16))]
    for line in lines { network.put(Set(0..<count), on: line, named: "Stage") }
    network.run(seconds: 20)
    var said: [Message] = []
    // Where most are off or full, it goes on until something was said.
    for turn in 0..<1000 where turn < 100 || said.count <= 5 {
      let index = Int.random(in: 0..<count, using: &random)
      let other = (index + Int.random(in: 1..<count, using: &random)) % count
      switch Int.random(in: 0..<20, using: &random) {
      case 0: network.kill(index)
      case 1: network.cut(index, from: other)
      case 2: network.mend()
      case 3:
        network.nodes[index].journal.kill = (
          network.nodes[index].journal.writes + Int.random(in: 1...4, using: &random),
          random.chance(0.5)
        )
      case 4:
        let years = Int64.random(in: -30...30, using: &random)
        network.nodes[index].wallOffsetMilliseconds += years * 31_556_952_000
      case 5: network.nodes[index].journal.isFailing = random.chance(0.4)
      case 11:
        let own = said.last { $0.key.sender == network.nodes[index].identity.id }
        if let own { network.edit(own, "edit \(turn)", from: index) }
      case 12:
        let sign = random.chance(0.2) ? nil : "\(turn)"
        let last = network.nodes[index].journal.history.randomElement(using: &random)
        if let last { network.react(to: last, sign, from: index) }
      case 6: network.read(index, of: network.nodes[other].identity.id)
      case 7...10:
        let off = network.nodes.indices.filter { network.nodes[$0].desk == nil }
        if let index = off.randomElement(using: &random) { try network.start(index) }
      default:
        let conversations: [Conversation] = [
          .group(GroupTag(of: group)), .member(network.nodes[other].identity.id),
          .line(lines[0]), .line(lines[1]),
        ]
        let conversation = try #require(conversations.randomElement(using: &random))
        let message =
          random.chance(0.3)
          ? network.speak(
            Int.random(in: 1...200_000, using: &random), from: index, to: conversation)
          : network.say("t", from: index, to: conversation)
        if let message { said.append(message) }
      }
      network.run(seconds: random.chance(0.1) ? 700 : 3 * random.unit())
    }
    try settle(network)
    try check(network, said, seed)
  }

  private func check(_ network: MessageNetwork, _ said: [Message], _ seed: UInt64) throws {
    #expect(said.count > 5, "seed \(seed)")
    for message in said {
      for recipient in message.recipients {
        let index = try #require(network.nodes.firstIndex { $0.identity.id == recipient })
        let node = network.nodes[index]
        if let sound = network.sounds[message.key] {
          #expect(try network.sound(of: message, at: index) == sound, "seed \(seed)")
        }
        network.expectChanges(of: message, at: index, seed)
        #expect(
          node.shown(of: message.key.sender).count { $0 == message.key.sequence } == 1,
          "seed \(seed), \(message.key.sequence)")
      }
    }
    for node in network.nodes {
      #expect(node.journal.state.held.isEmpty, "seed \(seed)")
      for other in network.nodes where other !== node {
        let shown = node.shown(of: other.identity.id)
        #expect(shown == Set(shown).sorted(), "seed \(seed): in order, each once")
        let change = network.lastChange(by: other.identity.id, to: node.identity.id)
        #expect(
          other.desk?.receiptMarks[node.identity.id]?.delivered ?? 0
            == max(shown.last ?? 0, change),
          "seed \(seed)")
      }
    }
  }

  /// All are on and together, for longer than anything is tried again.
  private func settle(_ network: MessageNetwork) throws {
    network.mend()
    for (index, node) in network.nodes.enumerated() {
      node.journal.isFailing = false
      node.journal.kill = nil
      if node.desk == nil { try network.start(index) }
    }
    network.run(seconds: 1500)
  }

  /// In 69 a keeper that is a recipient too loses the sound between the two; in 773 and 1087 one never gets all of it.
  private static let seeds =
    Set([69, 773, 1087] + Seeds.many(Seeds.areAll ? 2000 : 100)).sorted()

  @Test(arguments: seeds)
  func `whatever goes, is cut, killed or fails, each message comes once and in order`(
    seed: UInt64
  ) throws {
    try storm(seed: seed)
  }
}

extension [UInt8] {
  /// Whether others stand in it one after the other.
  fileprivate func contains(_ others: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: others) }
  }
}
