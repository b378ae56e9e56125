import Cryptography
import RTP
import TestKit
import Testing

@testable import Lines

/// Calls, the reply stack and the reply key (COMMS.md §B4).
@Suite struct CallTests {
  private var pair = CallPair()
  private let stage = LineTests.name("stage")

  @Test mutating func `a call rings until it is answered, and its caller knows`() throws {
    try pair.call(0, 1)
    #expect(pair.stack(1) == "A" && pair.stack(2) == "")
    #expect(pair.desks[0].calls.outgoing.map(\.target) == [.member(CallPair.nodes[1])])
    #expect(pair.desks[1].takeNewCalls().map(\.node) == [CallPair.nodes[0]])
    #expect(pair.desks[1].takeNewCalls().isEmpty)
    try pair.tap(1, .reply)
    #expect(pair.stack(1) == "a*")
    #expect(pair.heardAlone(1) == [CallPair.nodes[0]])
    #expect(pair.desks[1].routing.talk.isEmpty, "nobody else hears it")
    pair.post()
    #expect(pair.desks[0].calls.outgoing.isEmpty)
    #expect(pair.stack(0) == "b", "who answers can be answered")
    #expect(pair.desks[0].calls.incoming.map(\.isTalking) == [true])
    try pair.tap(0, .reply)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]])
    try pair.tap(1, .reply)
    pair.post()
    #expect(pair.heardAlone(1).isEmpty && pair.stack(0) == "b*")
    #expect(pair.desks[0].calls.incoming.map(\.isTalking) == [false])
  }

  /// What ends a call, after so many seconds, and what caller and called show then.
  @Test(arguments: [
    (29.0, "A", 1), (30.5, "a", 0), (59.0, "a", 0), (61.0, "", 0),
  ])
  mutating func `a call rings 30 s and can be answered 30 s more`(
    seconds: Double, stack: String, outgoing: Int
  ) throws {
    try pair.call(0, 1)
    #expect(pair.desks[1].routing.isCalled && !pair.desks[0].routing.isCalled)
    pair.wait(seconds: seconds - 0.75)
    #expect(pair.stack(1) == stack)
    #expect(pair.desks[1].routing.isCalled == (stack == "A"), "its tone")
    #expect(pair.desks[0].calls.outgoing.count == outgoing)
  }

  @Test mutating func `a cleared call ends at both, and one that its caller ends can be answered`()
    throws
  {
    try pair.call(0, 1)
    pair.desks[1].clearCalls(nowNanoseconds: pair.now)
    pair.post()
    #expect(pair.stack(1) == "" && pair.desks[0].calls.outgoing.isEmpty)
    try pair.call(0, 1)
    #expect(pair.stack(1) == "A", "a new call rings anew")
    pair.desks[0].endCall(.member(CallPair.nodes[1]))
    pair.post()
    #expect(pair.stack(1) == "a")
    try pair.tap(1, .reply)
    try pair.desks[1].replyThenClear(nowNanoseconds: pair.now)
    #expect(pair.stack(1) == "" && pair.heardAlone(1).isEmpty)
    #expect(pair.desks[1].keys.allSatisfy { !$0.isTalking && !$0.isLatched })
  }

  @Test mutating func `a held call ends a second after its holder is heard of last`() throws {
    let pedal = LineTests.name("pedal")
    try pair.call(0, 1, holder: pedal)
    for _ in 0..<8 {
      try pair.desks[0].renew(pedal, nowNanoseconds: pair.now)
      pair.wait(seconds: 0.25)
      #expect(pair.stack(1) == "A")
    }
    pair.wait(seconds: 1.25)
    #expect(pair.stack(1) == "a" && pair.desks[0].calls.outgoing.isEmpty)
  }

  @Test mutating func `the latest call is answered first, and a reply stays with whom it began`()
    throws
  {
    try pair.call(0, 2)
    try pair.call(1, 2)
    #expect(pair.stack(2) == "B A")
    try pair.tap(2, .reply)
    #expect(pair.stack(2) == "b* A")
    pair.desks[0].endCall(.member(CallPair.nodes[2]))
    pair.post()
    try pair.call(0, 2)
    #expect(pair.stack(2) == "A b*")
    #expect(pair.heardAlone(2) == [CallPair.nodes[1]], "not in the middle of a word")
    pair.wait(seconds: 45)
    #expect(pair.stack(2) == "a b*", "what is answered stays")
    try pair.tap(2, .reply)
    try pair.tap(2, .reply)
    #expect(pair.heardAlone(2) == [CallPair.nodes[0]])
  }

  @Test mutating func `eight calls can be answered, of more the oldest goes`() throws {
    var desk = LineDesk(instance: 1)
    for number in 0..<12 {
      let node = LineTests.node(number)
      desk.admit(node)
      var content = CallContent()
      content.calls = [CallContent.Entry(number: 7, line: nil)]
      try desk.take(
        LineMessage.calls(version: LineVersion(instance: 1, count: 1), content).octets, of: node,
        nowNanoseconds: Int64(number))
    }
    #expect(desk.calls.incoming.map(\.origin.node) == (4..<12).reversed().map(LineTests.node))
    // Those that made room learn that nobody will answer.
    let letters = desk.letters(nowNanoseconds: 100)
    let told = try letters.compactMap { letter -> NodeID? in
      guard case .calls(_, let content) = try LineMessage(letter.octets) else { return nil }
      return content.ended == [7: .cleared] ? letter.node : nil
    }
    #expect(told.sorted() == (0..<4).map(LineTests.node))
    desk.clearCalls(of: Set((0..<12).map(LineTests.node)), nowNanoseconds: 200)
    #expect(desk.calls.incoming.isEmpty)
  }

  @Test mutating func `a line is called by who is on it, and one answer is enough`() throws {
    try pair.desks[0].makeLine(stage)
    pair.post()
    try pair.desks[1].joinLine(stage)
    pair.post()
    #expect(throws: LineError.notOnLine(stage)) {
      try pair.desks[2].call(.line(stage), nowNanoseconds: pair.now)
    }
    try pair.desks[0].call(.line(stage), nowNanoseconds: pair.now)
    pair.post()
    #expect(pair.stack(1) == "A@stage" && pair.stack(2) == "")
    #expect(pair.desks[1].keys.first { $0.key.name == stage }?.isCalled == true)
    pair.desks[1].clearCalls(nowNanoseconds: pair.now)
    pair.post()
    #expect(pair.stack(1) == "" && pair.desks[0].calls.outgoing.count == 1, "for the others")
    pair.desks[0].endCall(.line(stage))
    try pair.desks[0].call(.line(stage), nowNanoseconds: pair.now)
    pair.post()
    // The key of the line answers as the reply key does.
    try pair.tap(1, stage)
    pair.post()
    #expect(pair.stack(1) == "a@stage" && pair.desks[0].calls.outgoing.isEmpty)
    try pair.tap(1, stage)
    try pair.tap(1, .reply)
    #expect(pair.desks[1].lines.first { $0.name == stage }?.isTalking == true)
    try pair.desks[1].leaveLine(stage)
    #expect(pair.stack(1) == "" && pair.desks[1].routing.talk.isEmpty)
    #expect(pair.desks[1].calls.answering == nil)
  }

  @Test mutating func `a reply needs a call, and closes when who is answered goes`()
    throws
  {
    #expect(throws: LineError.nobodyCalled) { try pair.tap(1, .reply) }
    let key = LineTests.name("answer")
    try pair.desks[1].setKey(try Key(key, targets: [.reply]))
    #expect(throws: LineError.nobodyCalled) { try pair.tap(1, key) }
    try pair.call(0, 1)
    #expect(pair.desks[1].keys.map(\.key.name.text) == ["all", "answer"], "one key for that")
    try pair.tap(1, key)
    #expect(pair.desks[1].keys.first { $0.key.name == key }?.isLatched == true)
    pair.desks[1].depart(CallPair.nodes[0])
    #expect(pair.desks[1].keys.first { $0.key.name == key }?.isTalking == false)
    #expect(pair.heardAlone(1).isEmpty)
    // Coming back it is talked to no more: nobody would know.
    pair.desks[1].admit(CallPair.nodes[0])
    pair.post()
    #expect(pair.heardAlone(1).isEmpty)
  }

  /// What is said to one caller must not go to the next one, who is not meant.
  @Test(arguments: [0, 1, 2, 3])
  mutating func `when who is answered goes away the reply key closes, and turns to nobody else`(
    how: Int
  ) throws {
    try pair.desks[0].makeLine(stage)
    pair.post()
    try pair.desks[2].joinLine(stage)
    pair.post()
    try pair.call(1, 2)
    if how == 3 {
      try pair.desks[0].call(.line(stage), nowNanoseconds: pair.now)
      pair.post()
    } else {
      try pair.call(0, 2)
    }
    try pair.tap(2, .reply)
    #expect(pair.stack(2) == (how == 3 ? "a@stage* B" : "a* B"))
    switch how {
    case 0: pair.desks[2].depart(CallPair.nodes[0])
    case 1: pair.desks[2].clearCalls(of: [CallPair.nodes[0]], nowNanoseconds: pair.now)
    case 2: try pair.desks[2].replyThenClear(nowNanoseconds: pair.now)
    default:
      try pair.desks[0].leaveLine(stage)
      pair.post()
    }
    #expect(pair.stack(2) == "B" && pair.heardAlone(2).isEmpty)
    #expect(pair.desks[2].routing.talk.isEmpty)
    #expect(pair.desks[2].keys.allSatisfy { !$0.isTalking && !$0.isLatched })
    // The next press is for whoever is left.
    try pair.tap(2, .reply)
    #expect(pair.stack(2) == "b*" && pair.heardAlone(2) == [CallPair.nodes[1]])
  }

  @Test mutating func `who talks to somebody alone is seen till then, though cleared`() throws {
    let key = LineTests.name("key")
    try pair.desks[0].setKey(try Key(key, targets: [.member(try MemberName("carl"))]))
    try pair.call(1, 2)
    try pair.tap(0, key)
    pair.post()
    #expect(pair.stack(2) == "a B")
    pair.desks[2].clearCalls(nowNanoseconds: pair.now)
    #expect(pair.stack(2) == "a B")
    #expect(pair.desks[2].calls.incoming.map(\.isTalking) == [true, false])
    // The latest that is not cleared yet is the next one.
    pair.desks[2].clearCalls(nowNanoseconds: pair.now)
    #expect(pair.stack(2) == "a")
    try pair.tap(0, key)
    pair.post()
    #expect(pair.stack(2) == "")
  }

  @Test(arguments: [true, false])
  mutating func `who was cleared is neither answered nor forgotten before who rings`(
    isEnded: Bool
  ) throws {
    let key = LineTests.name("key")
    try pair.desks[0].setKey(try Key(key, targets: [.member(try MemberName("carl"))]))
    try pair.call(1, 2)
    try pair.tap(0, key)
    pair.post()
    pair.desks[2].clearCalls(nowNanoseconds: pair.now)
    #expect(pair.stack(2) == "a B", "cleared, and shown as long as it talks")
    if isEnded {
      try pair.desks[2].replyThenClear(nowNanoseconds: pair.now)
      pair.post()
      #expect(pair.stack(2) == "a" && pair.desks[1].calls.outgoing.isEmpty)
      #expect(throws: LineError.nobodyCalled) {
        try pair.desks[2].replyThenClear(nowNanoseconds: pair.now)
      }
    } else {
      try pair.tap(2, .reply)
      #expect(pair.stack(2) == "a b*" && pair.heardAlone(2) == [CallPair.nodes[1]])
      try pair.tap(2, .reply)
      pair.desks[2].clearCalls(of: [CallPair.nodes[1]], nowNanoseconds: pair.now)
      // Where nobody else is left, who talks is answered all the same.
      try pair.tap(2, .reply)
      #expect(pair.stack(2) == "a*" && pair.heardAlone(2) == [CallPair.nodes[0]])
    }
  }

  @Test mutating func `a key for a line and replies talks on the line though nobody calls`() throws
  {
    let key = LineTests.name("key")
    try pair.desks[2].setKey(try Key(key, targets: [.line(.all), .reply]))
    try pair.tap(2, key)
    #expect(pair.desks[2].lines.first?.isTalking == true && pair.heardAlone(2).isEmpty)
    // Who calls while it is open is not answered by that; the next press is for it.
    try pair.call(0, 2)
    #expect(pair.stack(2) == "A" && pair.heardAlone(2).isEmpty)
    let answer = LineTests.name("answer")
    try pair.desks[2].setKey(try Key(answer, targets: [.reply]))
    try pair.tap(2, answer)
    #expect(pair.stack(2) == "a*" && pair.heardAlone(2) == [CallPair.nodes[0]])
    try pair.tap(2, answer)
    try pair.tap(2, key)
    #expect(pair.stack(2) == "a" && pair.desks[2].keys.allSatisfy { !$0.isTalking })
  }

  /// Whether somebody called, whether another reply key is open that talks to nobody, and what comes of it.
  @Test(arguments: [(false, false, "off"), (true, false, "reply"), (true, true, "off")])
  mutating func `an open key that is set anew for replies talks to who called, or closes`(
    isCalled: Bool, isBesideAnother: Bool, expected: String
  ) throws {
    let (key, other) = (LineTests.name("key"), LineTests.name("other"))
    try pair.desks[1].setKey(try Key(key, targets: [.line(.all)], activation: .talk))
    try pair.desks[1].setKey(try Key(other, targets: [.line(.all), .reply], activation: .talk))
    for isHeld in [false, true] {
      if isBesideAnother { try pair.desks[1].press(other, nowNanoseconds: pair.now) }
      if isCalled { try pair.call(0, 1) }
      try pair.desks[1].press(key, nowNanoseconds: pair.now)
      if !isHeld { try pair.desks[1].release(key, nowNanoseconds: pair.now) }
      try pair.desks[1].setKey(try Key(key, targets: [.reply]))
      let view = try #require(pair.desks[1].keys.first { $0.key.name == key })
      #expect(view.isTalking == (expected == "reply") && view.isHeld == isHeld)
      #expect(pair.heardAlone(1) == (expected == "reply" ? [CallPair.nodes[0]] : []))
      // What is held closes at its release, and opens nothing else.
      pair.wait(seconds: 1)
      if isHeld { try pair.desks[1].release(key, nowNanoseconds: pair.now) }
      if isBesideAnother { try pair.desks[1].release(other, nowNanoseconds: pair.now) }
      _ = pair.desks[1].releaseLatches()
      #expect(pair.heardAlone(1).isEmpty && pair.desks[1].routing.talk.isEmpty)
      pair.desks[1].clearCalls(nowNanoseconds: pair.now)
      try pair.desks[1].setKey(try Key(key, targets: [.line(.all)], activation: .talk))
    }
  }

  @Test func `messages of calls are read as they are written, and what breaks a rule is refused`()
    throws
  {
    var content = CallContent()
    (content.talksAlone, content.talksToGroup) = (true, true)
    content.calls = [.init(number: 1, line: nil), .init(number: 1 << 63, line: stage)]
    content.ended = [9: .answered, 8: .cleared]
    let message = LineMessage.calls(version: LineVersion(instance: 5, count: 7), content)
    #expect(try LineMessage(message.octets) == message)
    for count in 0..<message.octets.count {
      #expect(throws: LineViolation.malformed) {
        try LineMessage(Array(message.octets.prefix(count)))
      }
    }
    #expect(throws: LineViolation.malformed) { try LineMessage(message.octets + [0]) }
    content.calls.append(.init(number: 1, line: .all))
    let twice = LineMessage.calls(version: LineVersion(instance: 5, count: 8), content).octets
    #expect(throws: LineViolation.badNumber) { try LineMessage(twice) }
    content.calls = (0..<26).map { .init(number: $0, line: LineTests.name("line \($0)")) }
    let many = LineMessage.calls(version: LineVersion(instance: 5, count: 8), content).octets
    #expect(throws: LineViolation.tooManyCalls) { try LineMessage(many) }
  }

  @Test func `who calls all the time is not listened to for a while, and others are`() throws {
    var desk = LineDesk(instance: 1)
    let (bad, good) = (LineTests.node(1), LineTests.node(2))
    for node in [bad, good] { desk.admit(node) }
    func say(_ node: NodeID, _ number: UInt64, at now: Int64) throws {
      var content = CallContent()
      content.calls = [CallContent.Entry(number: number, line: nil)]
      let version = LineVersion(instance: 1, count: number)
      try desk.take(
        LineMessage.calls(version: version, content).octets, of: node, nowNanoseconds: now)
    }
    for number in 1...32 { try say(bad, UInt64(number), at: Int64(number)) }
    #expect(throws: LineViolation.tooManyCalls) { try say(bad, 33, at: 33) }
    try say(good, 1, at: 34)
    #expect(desk.calls.incoming.map(\.origin.node) == [good, bad])
    #expect(desk.violations == [.tooManyCalls: 1])
    try say(bad, 34, at: 1_000_000_002)
    #expect(desk.calls.incoming.first?.origin.node == bad)
    // Of who is no member, and what is old, nothing is taken.
    try say(LineTests.node(9), 1, at: 40)
    try say(bad, 2, at: 2_000_000_000)
    #expect(desk.calls.incoming.map(\.origin.node) == [bad, good])
  }

  @Test func `a node that comes back is told again of calls that ring still`() throws {
    var pair = CallPair()
    try pair.call(0, 1)
    // Bert starts anew.
    pair.desks[1] = LineDesk(instance: 2, isTalking: false)
    for other in [0, 2] {
      pair.desks[other].depart(CallPair.nodes[1])
      pair.desks[other].admit(CallPair.nodes[1])
      pair.desks[1].admit(CallPair.nodes[other])
    }
    pair.post()
    #expect(pair.stack(1) == "A")
  }

  @Test func `anything at all is taken without harm`() {
    var random = SplitMix64(seed: 35)
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    var content = CallContent()
    content.talksAlone = true
    content.calls = [.init(number: 1, line: nil), .init(number: 2, line: .all)]
    content.ended = [3: .answered]
    for round in 0..<10_000 {
      let version = LineVersion(instance: 1, count: UInt64(round))
      var octets = LineMessage.calls(version: version, content).octets
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      octets.removeLast(Int.random(in: 0...2, using: &random))
      let now = Int64(round) * 100_000_000
      try? desk.take(octets, of: node, nowNanoseconds: now)
      desk.tick(nowNanoseconds: now)
      #expect(desk.calls.incoming.count <= 8)
    }
  }
}
