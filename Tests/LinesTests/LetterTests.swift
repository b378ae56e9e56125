import Cryptography
import Testing

@testable import Lines

/// What a member is told, and when: one letter at a time, and another at once for who has lost all.
@Suite struct LetterTests {
  private static let millisecond: Int64 = 1_000_000
  private static let other = LineTests.node(1)
  private var desk = LineDesk(instance: 1, isTalking: false)
  private var asked: UInt64 = 0

  init() throws {
    desk.follow(ownNode: LineTests.node(0))
    desk.admit(Self.other)
  }

  private static func stranger(_ number: Int) -> NodeID {
    let octets = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 9, count: 30)
    guard let node = NodeID(octets: octets) else { preconditionFailure("32 octets make an ID") }
    return node
  }

  /// The other says that it has nothing of this node.
  private mutating func ask(at now: Int64) throws {
    asked += 1
    let record = LineRecord(version: LineVersion(instance: 1, count: asked))
    try desk.take(
      LineMessage.record(record, asks: true).octets, of: Self.other, nowNanoseconds: now)
  }

  /// Letters as they are sent, all still under way, and what they are: `r` a record, `t` a tally, `c` calls.
  private mutating func send(
    at now: Int64
  ) throws -> (letters: [LineOutbox.Letter], kinds: String) {
    let letters = desk.letters(nowNanoseconds: now)
    let kinds = try letters.map { letter in
      switch try LineMessage(letter.octets) {
      case .record: "r"
      case .tally: "t"
      case .calls: "c"
      case nil: "?"
      }
    }
    return (letters, kinds.joined())
  }

  private mutating func finish(_ letters: [LineOutbox.Letter], at now: Int64) {
    for letter in letters { desk.finish(letter, isDelivered: true, nowNanoseconds: now) }
  }

  @Test mutating func `who asks is told all at once, and what is under way counts for nothing`()
    throws
  {
    let start = 1000 * Self.millisecond
    try desk.call(.member(Self.other), nowNanoseconds: start)
    let lost = try send(at: start)
    #expect(lost.kinds == "rc")
    try ask(at: start + Self.millisecond)
    let second = try send(at: start + Self.millisecond)
    #expect(second.kinds == "rc", "at once")
    // What came before the other knew this node is acknowledged now, and it has nothing of it.
    finish(lost.letters, at: start + 2 * Self.millisecond)
    try desk.setTalk(true)
    #expect(try send(at: start + 2 * Self.millisecond).kinds == "", "one at a time")
    finish(second.letters, at: start + 3 * Self.millisecond)
    #expect(desk.nextDeadlineNanoseconds == start + 251 * Self.millisecond, "after a pause")
    #expect(try send(at: start + 251 * Self.millisecond).kinds == "t", "it has the lines")
  }

  @Test mutating func `a letter that was forgotten while it was under way is sent again`() throws {
    let start = 1000 * Self.millisecond
    try desk.call(.member(Self.other), nowNanoseconds: start)
    finish(try send(at: start).letters, at: start)
    try desk.setTalk(true)
    desk.endCall(.member(Self.other))
    let under = try send(at: start + 300 * Self.millisecond)
    #expect(under.kinds == "tc")
    try ask(at: start + 310 * Self.millisecond)
    finish(under.letters, at: start + 320 * Self.millisecond)
    #expect(try send(at: start + 320 * Self.millisecond).kinds == "rc", "all of it")
  }

  @Test mutating func `who asks again and again waits as all do, until it is a member anew`()
    throws
  {
    let start = 1000 * Self.millisecond
    let first = try send(at: start).letters
    finish(first, at: start)
    var sent = first.count
    for step in 0..<60 {
      let now = start + Int64(step) * 17 * Self.millisecond
      try ask(at: now)
      let letters = try send(at: now).letters
      sent += letters.count
      finish(letters, at: now)
    }
    // In a second one at its start, one that was asked for, and one each 250 ms.
    #expect(sent == 5, "\(sent)")
    desk.depart(Self.other)
    desk.admit(Self.other)
    let now = start + 2000 * Self.millisecond
    finish(try send(at: now).letters, at: now)
    try ask(at: now)
    #expect(try send(at: now).kinds == "r")
  }

  /// A flood of those who are no members takes no room, and nothing from who comes after them.
  @Test mutating func `a thousand strangers leave the repair of what came too early as it is`()
    throws
  {
    var content = CallContent()
    content.calls = [CallContent.Entry(number: 1, line: nil)]
    let octets = LineMessage.calls(version: LineVersion(instance: 1, count: 1), content).octets
    var refused = 0
    for number in 0..<1000 {
      let now = Int64(number / 200) * 1000 * Self.millisecond
      for _ in 0..<2 {
        do throws(LineViolation) {
          try desk.take(octets, of: Self.stranger(number), nowNanoseconds: now)
        } catch { refused += 1 }
      }
      #expect(desk.directory.strangerCount <= 2 * LineDirectory.strangerLimit)
    }
    #expect(refused == 0)
    // Within a second they are more than anybody is.
    let late = 60_000 * Self.millisecond
    for number in 0..<1000 {
      do throws(LineViolation) {
        try desk.take(octets, of: Self.stranger(5000 + number), nowNanoseconds: late)
      } catch { refused += 1 }
    }
    // The one member has said nothing yet.
    #expect(refused == 1000 - LineDirectory.strangerLimit - 1)
    #expect(desk.violations == [.tooFast: refused])
    // A member is heard all the while, and who comes now is asked for what it said before.
    try ask(at: late)
    let node = Self.stranger(9999)
    let later = late + 1000 * Self.millisecond
    try desk.take(octets, of: node, nowNanoseconds: later)
    desk.admit(node)
    let record = LineRecord(version: LineVersion(instance: 1, count: 1))
    try desk.take(LineMessage.record(record).octets, of: node, nowNanoseconds: later)
    let letter = try #require(desk.letters(nowNanoseconds: later).first { $0.node == node })
    #expect(letter.asks)
    #expect(desk.calls.incoming.isEmpty)
  }
}
