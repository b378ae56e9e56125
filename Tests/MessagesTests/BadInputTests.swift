import Cryptography
import TestKit
import Testing

@testable import Messages

/// What a member may send that no honest one does.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
  private let group: Group
  private let sender: TestIdentity
  private let keeper: TestIdentity
  private let me: TestIdentity
  private let journal = ModelJournal()
  private let desk: MessageDesk
  private let now = MessageTime(
    steadyNanoseconds: 5_000_000_000, unixMilliseconds: 1_780_000_000_000)

  init() throws {
    group = try Group(name: "crew")
    sender = try TestIdentity(seed: 1, groups: [group])
    keeper = try TestIdentity(seed: 2, groups: [group])
    me = try TestIdentity(seed: 3, groups: [group])
    desk = try MessageDesk(
      identity: me, journal: journal, settings: MessageSettings(keepBytes: 40_000), instance: 1,
      lineName: { $0.contains("\n") ? nil : $0.lowercased() }, now: now)
    for other in [sender, keeper] {
      desk.join(other.id, now: now)
      desk.take(MessageFrame.card(Card(of: other, to: me.id)).octets, from: other.id, now: now)
    }
    _ = desk.takeEvents()
  }

  /// A message of the sender to this node.
  private func envelope(
    _ sequence: UInt64 = 7, text: String = "hello", previous: UInt64 = 0, life: UInt32 = 0,
    lifetime: UInt32 = 1000, to others: [NodeID] = [], by author: TestIdentity? = nil
  ) throws -> [UInt8] {
    let recipients = ([me.id] + others).map {
      Envelope.Recipient(node: $0, previous: previous, previousLifeSeconds: life)
    }
    return try Envelope.write(
      SealedContent(.text(text), sentUnixMilliseconds: 1), sequence: sequence,
      lifetimeSeconds: lifetime, by: author ?? sender, for: recipients, .group(group)
    ).octets
  }

  /// A message of the sender for a line that this node is on.
  private func lineEnvelope(
    _ sequence: UInt64 = 7, name: String = "Stage", id: [UInt8]? = nil,
    locks: [LineSeal.Lock]? = nil, by author: TestIdentity? = nil
  ) throws -> [UInt8] {
    let seal = LineSeal(
      address: LineAddress(name: name, id: id),
      locks: locks ?? [.member(place: 0, me.publicKey), .group(group)])
    return try Envelope.write(
      SealedContent(.text("hello"), sentUnixMilliseconds: 1), sequence: sequence,
      lifetimeSeconds: 1000, by: author ?? sender,
      for: [Envelope.Recipient(node: me.id, previous: 0, previousLifeSeconds: 0)], .line(seal)
    ).octets
  }

  private func hand(
    _ envelope: [UInt8], _ role: Parcel.Role = .deliver, age: UInt32 = 0,
    from node: TestIdentity? = nil
  ) {
    let parcel = Parcel(role: role, ageSeconds: age, envelope: envelope)
    desk.take(parcel.octets, from: (node ?? sender).id, now: now)
  }

  private func replies(to node: TestIdentity) -> [MessageFrame] {
    var frames: [MessageFrame] = []
    while let octets = desk.next(for: node.id, now: now) {
      if let frame = try? MessageFrame(parsing: octets) { frames.append(frame) }
    }
    return frames
  }

  @Test func `any octets at all are counted and bring nothing down`() throws {
    var random = SplitMix64(seed: 5)
    let good = Parcel(role: .deliver, ageSeconds: 3, envelope: try envelope()).octets
    let receipt = try Receipt(of: keeper, to: me.id, delivered: 0, read: 0).octets
    let line = Parcel(role: .deliver, ageSeconds: 3, envelope: try lineEnvelope()).octets
    var count = 0
    for round in 0..<Seeds.rounds(20_000) {
      var octets = [good, receipt, Card(of: sender, to: me.id).octets, line][round / 4 % 4]
      switch round % 4 {
      case 0: octets = Array(octets.prefix(Int.random(in: 0..<octets.count, using: &random)))
      case 1: octets += [UInt8.random(in: 0...255, using: &random)]
      case 2:
        let index = Int.random(in: 0..<octets.count, using: &random)
        octets[index] ^= UInt8.random(in: 1...255, using: &random)
      default:
        octets = (0..<Int.random(in: 0...300, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      }
      desk.take(octets, from: sender.id, now: now)
      count += 1
    }
    #expect(journal.history.count <= 1, "a changed age is all that is not signed")
    #expect(desk.counters.faults.values.reduce(0, +) > count / 2)
    #expect(Set(desk.counters.faults.keys).isSuperset(of: [.malformed, .forged]))
    hand(try envelope(9))
    #expect(journal.history.last?.key.sequence == 9, "a good one is taken all the same")
  }

  @Test func `who says that another wrote it is refused, and so is a changed envelope`() throws {
    var forged = try envelope(by: keeper)
    forged.replaceSubrange(1..<33, with: sender.publicKey.bytes)
    hand(forged, from: keeper)
    var changed = try envelope()
    changed[changed.count - 70] ^= 1
    hand(changed, from: keeper)
    #expect(desk.counters.faults == [.forged: 2])
    #expect(journal.history.isEmpty)
  }

  @Test func `a message that comes again is acknowledged and shown once`() throws {
    let octets = try envelope()
    for _ in 0..<50 { hand(octets) }
    hand(octets, from: keeper)
    #expect(journal.history.count == 1)
    #expect(desk.counters.repeated == 50)
    let receipts = replies(to: keeper).compactMap { frame -> UInt64? in
      if case .receipt(let receipt) = frame { receipt.delivered } else { nil }
    }
    #expect(receipts == [7])
  }

  @Test func `a keeper that skips one is told what is missing, and nothing is lost`() throws {
    hand(try envelope(7))
    let later = try envelope(9, previous: 8, life: 500)
    hand(later, from: keeper)
    #expect(journal.history.map(\.key.sequence) == [7])
    let refusals = replies(to: keeper).compactMap { frame -> Refusal? in
      if case .refusal(let refusal) = frame { refusal } else { nil }
    }
    #expect(
      refusals == [
        Refusal(.missing, MessageKey(sender: sender.id, sequence: 9), delivered: 7)
      ])
    hand(later, age: 499, from: keeper)
    #expect(journal.history.count == 1)
    hand(later, age: 500, from: keeper)
    #expect(journal.history.map(\.key.sequence) == [7, 9], "what was missing is over by now")
    hand(try envelope(8), .deliverFirst)
    #expect(journal.history.count == 2)
  }

  @Test func `a keeper is not believed that nothing came before`() throws {
    hand(try envelope(9, previous: 8, life: 500), .deliverFirst, from: keeper)
    #expect(journal.history.isEmpty)
    hand(try envelope(9, previous: 8, life: 500), .deliverFirst)
    #expect(journal.history.count == 1, "its sender is")
  }

  @Test func `too long, too many, for others, or to keep for a third: refused in words`() throws {
    let huge = [UInt8](repeating: 1, count: MessageLimits.envelopeBytes + 1)
    hand(huge)
    let other = try TestIdentity(seed: 9)
    let foreign = try Envelope.write(
      SealedContent(.text("x"), sentUnixMilliseconds: 0), sequence: 3, lifetimeSeconds: 10,
      by: sender,
      for: [Envelope.Recipient(node: other.id, previous: 0, previousLifeSeconds: 0)],
      .group(group)
    ).octets
    hand(foreign)
    hand(foreign, .keep, from: keeper)
    #expect(desk.counters.faults == [.oversized: 1, .misdirected: 1, .notTheSender: 1])
    for fault in MessageFault.allCases { #expect(!fault.words.isEmpty) }
  }

  @Test func `what is kept for others stays within its room, and a refusal says so`() throws {
    let other = try TestIdentity(seed: 9)
    for sequence in 1...200 {
      hand(
        try envelope(
          UInt64(sequence), text: String(repeating: "x", count: 900), to: [other.id]), .keep)
    }
    #expect(desk.keptBytes <= 10_000)
    #expect(desk.counters.faults[.full] ?? 0 > 150)
    let refused = replies(to: sender).count { if case .refusal = $0 { true } else { false } }
    #expect(refused == MessageLimits.refusals, "a flood is not answered by a flood")
  }

  @Test func `whom the user blocks is not heard through others either`() throws {
    desk.block([sender.id])
    hand(try envelope(), from: keeper)
    #expect(journal.history.isEmpty)
    #expect(desk.counters.faults == [.stranger: 1])
    desk.block([])
    hand(try envelope(8), from: keeper)
    #expect(journal.history.count == 1)
  }

  @Test func `a message to this node alone is taken from a stranger by nobody's hand`() throws {
    let stranger = try TestIdentity(seed: 77)
    let octets = try Envelope.write(
      SealedContent(.text("psst"), sentUnixMilliseconds: 0), sequence: 1, lifetimeSeconds: 10,
      by: stranger,
      for: [Envelope.Recipient(node: me.id, previous: 0, previousLifeSeconds: 0)],
      .member(me.publicKey)
    ).octets
    hand(octets, from: keeper)
    #expect(journal.history.isEmpty)
    #expect(desk.counters.faults == [.stranger: 1])
  }

  @Test func `what cannot be opened is acknowledged, so that it does not come for ever`() throws {
    me.groups = []
    hand(try envelope())
    #expect(journal.history.isEmpty)
    #expect(desk.counters.faults == [.unreadable: 1])
    #expect(journal.state.marks[sender.id]?.delivered == 7)
  }

  @Test func `any octets in a line's box are refused, and what cannot be a line is`() throws {
    var random = SplitMix64(seed: 6)
    let key = MessageKey(sender: sender.id, sequence: 3)
    let box = try LineSeal(
      address: LineAddress(name: "stage", id: nil),
      locks: [.group(group), .member(place: 1, me.publicKey)]
    ).box([1, 2, 3], of: key)
    let people = [keeper.id, me.id]
    #expect(try LineSeal.open(box, of: key, for: people, as: me).plain == [1, 2, 3])
    for _ in 0..<Seeds.rounds(5000) {
      var octets = box
      octets[Int.random(in: 0..<box.count, using: &random)] ^= UInt8.random(
        in: 1...255, using: &random)
      // Of two locks one may do; what is in the box is what was sealed, or nothing.
      let opened = try? LineSeal.open(octets, of: key, for: people, as: me).plain
      #expect(opened == nil || opened == [1, 2, 3])
      let end = Int.random(in: 0..<box.count, using: &random)
      #expect(throws: MessageFault.self) {
        try LineSeal.open(Array(box.prefix(end)), of: key, for: people, as: me)
      }
    }
    let other = MessageKey(sender: sender.id, sequence: 4)
    #expect(throws: MessageFault.self) {
      try LineSeal.open(box, of: other, for: [keeper.id, keeper.id], as: me)
    }
    hand(try lineEnvelope(5, name: "a\nb"))
    hand(try lineEnvelope(6, locks: []))
    hand(try lineEnvelope(7, locks: [.member(place: 9, me.publicKey)]))
    #expect(desk.counters.faults == [.unreadable: 3] && journal.history.isEmpty)
    #expect(journal.state.marks[sender.id]?.delivered == 7, "they do not come for ever")
  }

  @Test func `an audience of a later version is counted, acknowledged, and kept for others`() throws
  {
    // As this software's own lines were to the one before it.
    var octets = try lineEnvelope()
    let place = 1 + 32 + 8 + 4
    #expect(octets[place] == 3)
    octets[place] = 200
    let body = octets.dropLast(PublicKey.signatureByteCount)
    let signed = Array("comlink message 1".utf8) + [0] + body
    octets = try body + (unsafe sender.signature(of: signed.span.bytes))
    hand(octets)
    #expect(desk.counters.faults == [.unreadable: 1] && journal.history.isEmpty)
    #expect(journal.state.marks[sender.id]?.delivered == 7)
  }

  @Test func `a stranger writes to no line, and one who is not on a private line not there`() throws
  {
    let stranger = try TestIdentity(seed: 77, groups: [group])
    hand(try lineEnvelope(by: stranger), from: keeper)
    #expect(journal.history.isEmpty && desk.counters.faults == [.stranger: 1])
    let id = [UInt8](repeating: 9, count: 16)
    let board = LinePeople(
      tag: .hidden(id), name: "board", members: [], roster: [], removed: [sender.id])
    desk.follow([board], told: [keeper.id, sender.id], now: now)
    hand(try lineEnvelope(8, name: "board", id: id))
    hand(try lineEnvelope(9, name: "board", id: id, by: keeper), from: keeper)
    hand(try lineEnvelope(10, name: "STAGE"))
    let foreign = [UInt8](repeating: 8, count: 16)
    hand(try lineEnvelope(11, name: "other", id: foreign, by: keeper), from: keeper)
    #expect(
      journal.history.map(\.conversation) == [
        .member(sender.id), .line(.hidden(id)), .line(.named("stage")), .member(keeper.id),
      ])
  }

  @Test func `of lines and who is on them no more is remembered than there may be`() throws {
    var many: Set<NodeID> = []
    for number in 0..<300 {
      var octets = [UInt8](repeating: 1, count: NodeID.byteCount)
      (octets[0], octets[1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
      many.insert(try #require(NodeID(octets: octets)))
    }
    for round in 0..<200 {
      let lines = (0..<100).map { number in
        let id = [UInt8](repeating: UInt8(number), count: 15) + [UInt8(round)]
        return LinePeople(tag: .hidden(id), name: "x", members: many, roster: many)
      }
      desk.follow(lines, told: [], now: now)
    }
    #expect(journal.state.lines.count <= 2 * MessageLimits.lines)
    #expect(
      journal.state.lines.values.allSatisfy { $0.people.count <= MessageLimits.recipients })
  }

  @Test func `an edit or a sign from another conversation changes nothing and is counted`() throws {
    hand(try envelope(7))
    func changed(_ content: MessageContent, _ sequence: UInt64, _ way: SealingWay) throws {
      hand(
        try Envelope.write(
          SealedContent(content, sentUnixMilliseconds: 1), sequence: sequence,
          lifetimeSeconds: 1000, by: sender,
          for: [Envelope.Recipient(node: me.id, previous: 0, previousLifeSeconds: 0)], way
        ).octets)
    }
    let target = MessageKey(sender: sender.id, sequence: 7)
    try changed(.edit(of: 7, text: "only you read this"), 8, .member(me.publicKey))
    try changed(.reaction(to: target, sign: "no"), 9, .member(me.publicKey))
    #expect(desk.counters.faults == [.wrongChange: 2])
    #expect(journal.history.map(\.content) == [.text("hello")] && journal.edited.isEmpty)
    #expect(journal.signs(at: journal.history[0]).isEmpty)
    #expect(journal.state.marks[sender.id]?.delivered == 9, "they do not come for ever")
    try changed(.edit(of: 7, text: "bye"), 10, .group(group))
    try changed(.reaction(to: target, sign: "ok"), 11, .group(group))
    #expect(journal.history.map(\.content) == [.text("bye")])
    #expect(journal.signs(at: journal.history[0]) == [sender.id: "ok"])
    // Of what is not here: nothing to edit, and nobody is held up.
    try changed(.edit(of: 3, text: "x"), 12, .group(group))
    #expect(journal.history.count == 1 && desk.counters.faults == [.wrongChange: 2])
  }

  @Test func `a receipt of another for what it never had is signed by it or of no effect`() throws {
    let message = try desk.say("x", to: .member(keeper.id), now: now)
    var receipt = try Receipt(
      of: keeper, to: me.id, delivered: message.key.sequence, read: 0
    ).octets
    receipt[70] ^= 1
    desk.take(receipt, from: sender.id, now: now)
    #expect(desk.waitingCount == 1)
    let early = try Receipt(of: keeper, to: me.id, delivered: message.key.sequence + 1, read: 0)
    desk.take(early.octets, from: keeper.id, now: now)
    #expect(desk.waitingCount == 1, "it has what was never sent")
    let good = try Receipt(of: keeper, to: me.id, delivered: message.key.sequence, read: 0)
    desk.take(good.octets, from: sender.id, now: now)
    #expect(desk.waitingCount == 0, "whoever brings it")
  }

  @Test(arguments: ["", String(repeating: "x", count: 4097), "a\0b"])
  func `what is no text is refused in words`(text: String) throws {
    let error = #expect(throws: SayError.self) {
      try desk.say(text, to: .member(sender.id), now: now)
    }
    #expect(error?.description.isEmpty == false)
    #expect(desk.waitingCount == 0)
    let longest = String(repeating: "é", count: 2048)
    #expect(throws: Never.self) { try desk.say(longest, to: .member(sender.id), now: now) }
  }

  @Test func `who is not known, or oneself, cannot be written to`() throws {
    let stranger = try TestIdentity(seed: 9)
    #expect(throws: SayError.unknownMember) {
      try desk.say("x", to: .member(stranger.id), now: now)
    }
    #expect(throws: SayError.oneself) { try desk.say("x", to: .member(me.id), now: now) }
    let others = try Group(name: "others")
    #expect(throws: SayError.noGroup) {
      try desk.say("x", to: .group(GroupTag(of: others)), now: now)
    }
    me.groups = [group, others]
    #expect(throws: SayError.nobody) {
      try desk.say("x", to: .group(GroupTag(of: others)), now: now)
    }
  }

  @Test func `contacts are as many as there may be, those who wait for something stay`() throws {
    let message = try desk.say("x", to: .member(keeper.id), now: now)
    desk.leave(keeper.id, now: now)
    for seed in 100..<(100 + UInt64(MessageLimits.contacts)) {
      let other = try TestIdentity(seed: seed)
      desk.take(MessageFrame.card(Card(of: other, to: me.id)).octets, from: other.id, now: now)
    }
    #expect(desk.knownNodes.count == MessageLimits.contacts)
    #expect(desk.knownNodes.isSuperset(of: [keeper.id, sender.id]))
    #expect(desk.remaining(of: message.key) == [keeper.id])
  }

  @Test func `a refusal with numbers that no message has brings nothing down`() throws {
    _ = try desk.say("x", to: .member(keeper.id), now: now)
    var frame = Refusal(.missing, MessageKey(sender: me.id, sequence: 1), delivered: 0).octets
    frame.replaceSubrange((frame.count - 8)..., with: [UInt8](repeating: 0xFF, count: 8))
    desk.take(frame, from: keeper.id, now: now)
    #expect(desk.counters.faults[.malformed] == 1)
    var later = now
    later.steadyNanoseconds += 120_000_000_000
    desk.tick(now: later)
    var parcels = 0
    while let octets = desk.next(for: keeper.id, now: later) {
      if case .parcel = try MessageFrame(parsing: octets) { parcels += 1 }
    }
    #expect(parcels == 1)
  }

  @Test func `refusals of what nobody holds leave nothing to do`() throws {
    _ = try desk.say("x", to: .member(sender.id), now: now)
    for sequence in 1..<100 {
      let stranger = try TestIdentity(seed: 500 + UInt64(sequence))
      let key = MessageKey(sender: stranger.id, sequence: UInt64(sequence))
      desk.take(Refusal(.missing, key, delivered: 0).octets, from: keeper.id, now: now)
    }
    // The member's own messages are not handed to it.
    let own = MessageKey(sender: keeper.id, sequence: 1)
    desk.take(Refusal(.disk, own, delivered: 0).octets, from: keeper.id, now: now)
    var later = now
    later.steadyNanoseconds += 61_000_000_000
    desk.tick(now: later)
    #expect(desk.nextDeadlineNanoseconds > later.steadyNanoseconds)
  }

  @Test func `a member that goes back before all of it expires does not keep the desk busy`() throws
  {
    let message = try desk.say("x", to: .member(keeper.id), now: now)
    desk.take(
      Refusal(.disk, message.key, delivered: 0).octets, from: keeper.id, now: now)
    var later = now
    later.steadyNanoseconds += 61_000_000_000
    desk.tick(now: later)
    #expect(desk.nextDeadlineNanoseconds > later.steadyNanoseconds)
  }

  @Test func `receipts by keys that nobody knows are refused and not kept`() throws {
    _ = try desk.say("x", to: .member(keeper.id), now: now)
    for seed in 1000..<UInt64(1050) {
      let stranger = try TestIdentity(seed: seed)
      let receipt = try Receipt(of: stranger, to: me.id, delivered: 1, read: 1)
      desk.take(receipt.octets, from: keeper.id, now: now)
    }
    #expect(desk.counters.faults[.stranger] == 50)
    #expect(desk.receiptMarks.isEmpty && journal.state.receipts.isEmpty)
  }

  @Test func `senders that were made up are remembered up to a limit`() throws {
    var book = ReceiptBook(JournalState(), of: me)
    for seed in 0..<MessageLimits.senders {
      var octets = [UInt8](repeating: 0, count: NodeID.byteCount)
      (octets[0], octets[1]) = (UInt8(seed >> 8), UInt8(seed & 0xFF))
      let node = try #require(NodeID(octets: octets))
      #expect(book.hasRoom(for: node))
      book.set(MessageMark(delivered: 1), of: node)
    }
    #expect(!book.hasRoom(for: sender.id))
    #expect(book.hasRoom(for: try #require(NodeID(octets: [UInt8](repeating: 0, count: 32)))))
  }
}
