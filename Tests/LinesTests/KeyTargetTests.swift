import Cryptography
import RTP
import Testing

@testable import Lines

/// Keys for members, groups, whoever called, and all.
@Suite struct KeyTargetTests {
  private var pair = CallPair()
  private let key = LineTests.name("key")
  private let stage = LineTests.name("stage")

  @Test(arguments: [
    "line:stage", "member:anna", "group:crew", "reply", "announcement", "all", "assistant",
  ])
  func `a target is read as it is written`(text: String) throws {
    #expect("\(try KeyTarget(text))" == text)
  }

  @Test(arguments: ["", "stage", "line:", "member:", "group:", "Reply", "peer:anna"])
  func `what is no target is refused in words`(text: String) {
    let error = #expect(throws: LineError.self) { try KeyTarget(text) }
    #expect(error.map { "\($0)".isEmpty } == false)
  }

  /// What a key does without a word, by its target (COMMS.md §B1, defaults by target).
  @Test(arguments: [
    ("line:stage", KeyActivation.talkForceListen, 200), ("member:anna", .talk, 200),
    ("group:crew", .talk, 200), ("reply", .talk, 200), ("announcement", .talk, 0),
    ("all", .talk, 200), ("assistant", .talk, 0),
  ])
  func `each target has the usual activation and latch`(
    target: String, activation: KeyActivation, latch: Int
  ) throws {
    let key = try Key(key, targets: [try KeyTarget(target)])
    #expect(key.activation == activation && key.latchMilliseconds == latch)
  }

  @Test mutating func `a key for a member is heard by nobody else`() throws {
    try pair.desks[0].setKey(try Key(key, targets: [.member(try MemberName("Bert"))]))
    #expect(pair.desks[0].audiences.map(\.listeners) == [[CallPair.nodes[1]]], "before it talks")
    #expect(pair.desks[0].routing.audiences.isEmpty)
    try pair.tap(0, key)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]])
    #expect(pair.desks[0].routing.talk.isEmpty)
    pair.post()
    #expect(pair.stack(1) == "a" && pair.stack(2) == "")
    #expect(pair.desks[1].calls.incoming.map(\.isTalking) == [true])
    // Bert has a key for Anna, too: that she talks is seen there.
    try pair.desks[1].setKey(try Key(key, targets: [.member(MemberName(CallPair.nodes[0]))]))
    #expect(pair.desks[1].keys.first { $0.key.name == key }?.talkers == [CallPair.nodes[0]])
    try pair.tap(0, key)
    #expect(pair.heardAlone(0).isEmpty)
    // Who is away is talked to by nobody, and who comes back is, where the key is open still.
    try pair.tap(0, key)
    pair.desks[0].depart(CallPair.nodes[1])
    #expect(pair.desks[0].audiences.isEmpty && pair.desks[0].routing.audiences.isEmpty)
    pair.desks[0].admit(CallPair.nodes[1])
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]])
  }

  @Test mutating func `the assistant's key talks to nobody, and shows its call`() throws {
    try pair.desks[0].setKey(try Key(key, targets: [.assistant]))
    let before = pair.desks[0].routing
    for count in 1...3 {
      try pair.desks[0].press(key, nowNanoseconds: 0)
      #expect(pair.desks[0].assistantPresses == count)
      #expect(pair.desks[0].routing == before)
      // A second finger is no second press.
      try pair.desks[0].press(key, by: .device(Label("page")), nowNanoseconds: 0)
      #expect(pair.desks[0].assistantPresses == count)
      try pair.desks[0].release(key, by: .device(Label("page")), nowNanoseconds: 0)
      try pair.desks[0].release(key, nowNanoseconds: 0)
    }
    let view = try #require(pair.desks[0].keys.first { $0.key.name == key })
    #expect(!view.isTalking && !view.isLatched)
    #expect(view.showing(.listens).isTalking && !view.showing(.listens).isAnswered)
    #expect(!view.showing(.answers).isTalking && view.showing(.answers).isAnswered)
    #expect(view.showing(.off) == view)
  }

  @Test mutating func `a guest on a line talks there, as long as the node is on it`() throws {
    let desk = pair.desks[0]
    try pair.desks[0].makeLine(stage)
    pair.desks[0].setGuest(7, talking: .lines([stage]))
    #expect(pair.desks[0].routing.guests[7]?.isEmpty == false)
    pair.desks[0].setGuest(7, talking: .lines([]))
    #expect(pair.desks[0].routing.guests[7]?.isEmpty == true)
    pair.desks[0].setGuest(7, talking: .lines([stage]))
    try pair.desks[0].leaveLine(stage)
    #expect(pair.desks[0].routing.guests[7]?.isEmpty == true)
    pair.desks[0].setGuest(7, talking: nil)
    #expect(pair.desks[0].routing.guests == desk.routing.guests)
  }

  @Test mutating func `a name that two have, or nobody, is nobody's`() throws {
    pair.desks[0].follow(called: [CallPair.nodes[1]: "Bert", CallPair.nodes[2]: "bert"])
    try pair.desks[0].setKey(try Key(key, targets: [.member(try MemberName("BERT"))]))
    #expect(pair.desks[0].audiences.isEmpty)
    #expect(throws: LineError.noSuchMember("BERT")) {
      try pair.desks[0].member(try MemberName("BERT"))
    }
    #expect(try pair.desks[0].member(try MemberName("bert")) == CallPair.nodes[2])
    // By its ID nobody else can be meant.
    let name = MemberName(CallPair.nodes[1])
    #expect(try pair.desks[0].member(name) == CallPair.nodes[1])
  }

  @Test mutating func `a key for a group is heard by those who share its secret`() throws {
    let crew = try GroupLabel("crew")
    try pair.desks[0].setKey(try Key(key, targets: [.group(crew)]))
    try pair.tap(0, key)
    #expect(pair.heardAlone(0).isEmpty, "nobody has proved to be in it")
    pair.desks[0].follow(groups: [crew: [CallPair.nodes[2], LineTests.node(7)]])
    #expect(pair.heardAlone(0) == [CallPair.nodes[2]], "of them those who are here")
    pair.post()
    pair.desks[2].follow(groups: [crew: [CallPair.nodes[0]]])
    try pair.desks[2].setKey(try Key(key, targets: [.group(crew)]))
    #expect(pair.desks[2].keys.first { $0.key.name == key }?.talkers == [CallPair.nodes[0]])
    #expect(pair.stack(2) == "", "that is no call")
  }

  @Test mutating func `an announcement goes to all, whatever they listen to`() throws {
    for node in 1..<3 { try pair.desks[node].setListening(false, to: .all) }
    try pair.desks[0].setKey(try Key(key, targets: [.announcement]))
    try pair.desks[0].press(key, nowNanoseconds: pair.now)
    pair.post()
    let routing = pair.desks[0].routing
    #expect(routing.talk == .announcement && routing.tellsLines)
    for node in 1..<3 {
      let addressed = routing.members[CallPair.nodes[node]] ?? routing.others
      #expect(!routing.talk.isDisjoint(with: addressed.addressed))
      let theirs = pair.desks[node].routing
      let gains = (theirs.members[CallPair.nodes[0]] ?? theirs.others).gains
      #expect(gains[LineSet.announcementNumber] == 1 && gains[0] == 0)
      let priorities = (theirs.members[CallPair.nodes[0]] ?? theirs.others).priorities
      #expect(priorities[LineSet.announcementNumber] == 3 && priorities[0] == 1)
      #expect(pair.desks[node].calls.announcers == [CallPair.nodes[0]])
    }
    try pair.desks[0].release(key, nowNanoseconds: pair.now + 1)
    #expect(pair.desks[0].routing.talk.isEmpty, "it does not latch")
  }

  @Test mutating func `the key for all lines talks on each that the node is on`() throws {
    try pair.desks[0].makeLine(stage)
    try pair.desks[0].setKey(try Key(key, targets: [.allLines]))
    try pair.tap(0, key)
    #expect(pair.desks[0].lines.filter(\.isTalking).map(\.name) == [.all, stage])
    try pair.desks[0].leaveLine(stage)
    #expect(pair.desks[0].lines.filter(\.isTalking).map(\.name) == [.all])
  }

  @Test func `more members than there are streams cannot be talked to at once`() throws {
    var desk = LineDesk(instance: 1, isTalking: false)
    for number in 0..<9 {
      desk.admit(LineTests.node(number))
      try desk.setKey(
        try Key(
          LineTests.name("key \(number)"), targets: [.member(MemberName(LineTests.node(number)))]))
    }
    #expect(desk.audiences.count == 7)
    for number in 0..<7 {
      try desk.press(LineTests.name("key \(8 - number)"), nowNanoseconds: Int64(number))
    }
    #expect(Set(desk.audiences.map(\.audience)) == desk.routing.audiences)
    #expect(throws: LineError.tooManyAudiences) {
      try desk.press(LineTests.name("key 0"), nowNanoseconds: 9)
    }
    #expect(desk.keys.first { $0.key.name.text == "key 0" }?.isHeld == false)
    try desk.release(LineTests.name("key 8"), nowNanoseconds: 9_000_000_000)
    try desk.press(LineTests.name("key 0"), nowNanoseconds: 9_000_000_000)
    #expect(desk.routing.audiences.count == 7)
  }

  @Test func `targets are kept, and those of an older form are read`() throws {
    var desk = LineDesk(instance: 1)
    let targets = try ["member:anna", "group:crew", "reply", "announcement", "all", "line:stage"]
      .map { try KeyTarget($0) }
    try desk.setKey(try Key(key, targets: targets, activation: .dual))
    let octets = desk.settings.octets
    #expect(LineSettings(octets) == desk.settings)
    for index in octets.indices {
      var damaged = octets
      damaged[index] ^= 0xFF
      _ = LineSettings(damaged)
    }
    let former: [UInt8] =
      [1, 0, 1, 3] + Array("key".utf8) + [4] + Array("talk".utf8) + [1, 5] + Array("stage".utf8)
      + [0, 200, 0, 0]
    #expect(LineSettings(former)?.keys == [try Key(key, lines: [stage], activation: .talk)])
    // The second form said nothing of the ear, whose usual settings are the last two octets.
    let second = [2] + octets.dropFirst().dropLast(2)
    #expect(LineSettings(second) == desk.settings)
    #expect(LineSettings(second + [0, 0]) == nil)
  }
}

/// Streams that are opened and closed for audiences.
@Suite struct AudienceBookTests {
  private static func wish(_ number: Int) -> AudienceWish {
    AudienceWish(audience: .member(LineTests.node(number)), listeners: [LineTests.node(number)])
  }

  /// Carries out what a book wants, and tells how many streams are open then.
  private func settle(
    _ book: inout AudienceBook, _ wishes: [AudienceWish], talking: Set<Audience> = [],
    _ open: inout [Int: Audience], at now: Int64
  ) {
    while let step = book.next(wishes, talking: talking, nowNanoseconds: now) {
      switch step {
      case .open(let wish):
        let number = (1...7).first { open[$0] == nil } ?? 0
        open[number] = wish.audience
        book.opened(wish, as: number)
      case .close(let number): open[number] = nil
      case .setListeners: break
      }
    }
  }

  @Test func `what is wanted is open, and what is not is closed a second later`() {
    var (book, open) = (AudienceBook(), [Int: Audience]())
    let wishes = (0..<3).map(Self.wish)
    settle(&book, wishes, &open, at: 0)
    #expect(Set(open.values) == Set(wishes.map(\.audience)))
    settle(&book, [wishes[0]], &open, at: 10)
    #expect(open.count == 3)
    #expect(book.nextDeadlineNanoseconds([wishes[0]], nowNanoseconds: 10) == 1_000_000_010)
    // What comes back meanwhile has never gone.
    settle(&book, [wishes[0], wishes[2]], &open, at: 20)
    settle(&book, [wishes[0], wishes[2]], &open, at: 1_000_000_010)
    #expect(Set(open.values) == Set([wishes[0], wishes[2]].map(\.audience)))
    #expect(book.nextDeadlineNanoseconds([wishes[0], wishes[2]], nowNanoseconds: 0) == .max)
  }

  @Test func `what talks takes the place of what lingers`() {
    var (book, open) = (AudienceBook(), [Int: Audience]())
    settle(&book, (0..<7).map(Self.wish), &open, at: 0)
    let others = (7..<9).map(Self.wish)
    settle(&book, others, &open, at: 1)
    #expect(open.count == 7 && !open.values.contains(others[0].audience))
    settle(&book, others, talking: [others[1].audience], &open, at: 2)
    #expect(open.count == 7 && open.values.contains(others[1].audience))
  }

  @Test func `other listeners are told, and what fails is tried again a second later`() {
    var book = AudienceBook()
    var wish = Self.wish(1)
    #expect(book.next([wish], talking: [], nowNanoseconds: 0) == .open(wish))
    book.failed(wish, nowNanoseconds: 0)
    #expect(book.next([wish], talking: [], nowNanoseconds: 1) == nil)
    #expect(book.nextDeadlineNanoseconds([wish], nowNanoseconds: 1) == 1_000_000_000)
    #expect(book.next([wish], talking: [], nowNanoseconds: 1_000_000_000) == .open(wish))
    book.opened(wish, as: 4)
    wish.listeners.insert(LineTests.node(2))
    #expect(
      book.next([wish], talking: [], nowNanoseconds: 2_000_000_000)
        == .setListeners(wish.listeners, stream: 4))
    #expect(book.next([wish], talking: [], nowNanoseconds: 2_000_000_000) == nil)
  }
}
