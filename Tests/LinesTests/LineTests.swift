import Cryptography
import RTP
import TestKit
import Testing

@testable import Lines

@Suite struct LineTests {
  @Test(arguments: ["a", "stage left", "Bühne", "🎭", "👨‍👩‍👧", String(repeating: "x", count: 30)])
  func `a name can be whatever fits on a line`(text: String) throws {
    #expect(try Label(text).text == text)
  }

  @Test(arguments: [
    "", " a", "a ", String(repeating: "x", count: 31), "a\nb", "a\u{1B}[2J", "\u{202E}abc",
    String(repeating: "é", count: 16), "\u{200B}", "\u{AD}\u{200D}", "a\u{A0}", "\u{2003}",
  ])
  func `what would break a line of text is no name`(text: String) {
    #expect(throws: LineError.badLabel(text)) { try Label(text) }
  }

  @Test func `names that differ in case or composition are one`() throws {
    #expect(try Label("Stage") == Label("stAGE"))
    #expect(try Label("B\u{FC}hne") == Label("Bu\u{308}hne"))
    #expect(try Label("stage") != Label("stage 2"))
    #expect(try Label("st\u{200B}age\u{AD}") == Label("stage"), "unseen")
  }

  /// Two emoji, and whether they are one name.
  @Test(arguments: [
    ("👍", "👍🏽", false), ("👨‍👩‍👧", "👨‍👩‍👦", false), ("🎭", "🎪", false), ("🇩🇪", "🇩🇰", false),
    ("❤", "❤\u{FE0F}", true), ("👨‍👩‍👧", "👨👩👧", true), ("🎭 A", "🎭 a", true),
  ])
  func `emoji that differ are two names, and those that differ in what nobody sees are one`(
    one: String, other: String, isSame: Bool
  ) throws {
    #expect((try Label(one) == Label(other)) == isSame)
    #expect(Set([try Label(one), try Label(other)]).count == (isSame ? 1 : 2))
  }

  @Test func `a line of an emoji is told to others, has a key, and is kept`() throws {
    let name = try Label("👨‍👩‍👧🎭")
    var desks = [LineDesk(instance: 1), LineDesk(instance: 1)]
    for one in 0..<2 { desks[one].admit(Self.node(1 - one)) }
    try desks[0].makeLine(name)
    for letter in desks[0].letters(nowNanoseconds: 0) {
      try desks[1].take(letter.octets, of: Self.node(0), nowNanoseconds: 0)
    }
    #expect(desks[1].lines.map(\.name.text) == ["all", "👨‍👩‍👧🎭"])
    #expect(throws: LineError.lineExists(name)) { try desks[1].makeLine(try Label("👨👩👧🎭")) }
    try desks[1].joinLine(name)
    try desks[1].press(name, nowNanoseconds: 0)
    try desks[1].release(name, nowNanoseconds: 1)
    #expect(desks[1].lines.filter(\.isTalking).map(\.name) == [.all, name])
    let kept = try #require(LineSettings(desks[1].settings.octets))
    #expect(LineDesk(instance: 2, settings: kept).lines.map(\.name.text) == ["all", "👨‍👩‍👧🎭"])
  }

  @Test func `a key of an equal name takes the former's place, and its latch goes on`() throws {
    var desk = LineDesk(instance: 1, isTalking: false)
    try desk.setKey(try Key(try Label("Show"), lines: [.all]))
    try desk.press(try Label("SHOW"), nowNanoseconds: 0)
    try desk.release(try Label("show"), nowNanoseconds: 1)
    try desk.setKey(try Key(try Label("show"), lines: [.all], interlock: 2))
    let keys = desk.keys
    #expect(keys.map(\.key.name.text) == ["show"] && keys[0].isLatched && keys[0].isTalking)
    try desk.removeKey(try Label("sHOW"))
    #expect(desk.keys.map(\.key.name) == [.all] && desk.routing.talk.isEmpty)
  }

  @Test func `a node that tells two equal names, or an empty one, is not believed`() {
    for names in [["stage", "STAGE"], ["all"], ["❤", "❤\u{FE0F}"], [""], ["\u{200B}"], [" "]] {
      var octets: [UInt8] = [1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
      octets += [UInt8](repeating: 0, count: 8) + [UInt8(names.count)]
      for (number, name) in names.enumerated() {
        octets += [UInt8(number + 1), UInt8(name.utf8.count)] + Array(name.utf8)
      }
      #expect(throws: LineViolation.self) { try LineMessage(octets) }
    }
  }

  /// A name, and what a display of 8 characters shows for it.
  @Test(arguments: [
    ("all", "all"), ("stage", "stage"), ("follow spots", "follow s"), ("monitor left", "monitor"),
    ("Bühne links", "Bühne li"), ("👨‍👩‍👧🎭", "👨‍👩‍👧🎭"), ("abcdefg👍🏽x", "abcdefg👍🏽"),
  ])
  func `a display shows the first 8 characters of a name`(name: String, display: String) throws {
    #expect(try Label(name).shortened == display)
    var desk = LineDesk(instance: 1)
    if name != "all" { try desk.makeLine(try Label(name)) }
    #expect(desk.lines.last?.display == display)
  }

  @Test func `a display shows what the user says, which is kept and goes with the line`() throws {
    var desk = LineDesk(instance: 1)
    let stage = Self.name("stage left")
    try desk.makeLine(stage)
    try desk.setDisplay("STG L", of: stage)
    try desk.setDisplay("Alle", of: .all)
    #expect(desk.lines.map(\.display) == ["Alle", "STG L"])
    for text in ["ninechars", " a", "a\n", "\u{202E}", String(repeating: "👨‍👩‍👧", count: 2)] {
      #expect(throws: LineError.badDisplay(text)) { try desk.setDisplay(text, of: stage) }
    }
    #expect(throws: LineError.notOnLine(Self.name("x"))) {
      try desk.setDisplay("X", of: Self.name("x"))
    }
    let octets = desk.settings.octets
    let kept = try #require(LineSettings(octets))
    #expect(kept == desk.settings && octets[0] == 7)
    for end in 0..<octets.count { #expect(LineSettings(Array(octets[..<end])) == nil) }
    #expect(LineDesk(instance: 2, settings: kept).lines.map(\.display) == ["Alle", "STG L"])
    // A file comes first, and what it does not say stays.
    var file = LineSettings(lines: [LineSettings.Line(name: .all), LineSettings.Line(name: stage)])
    file.displays.updateValue(nil, forKey: stage)
    let both = LineDesk(instance: 2, settings: kept.taking(file))
    #expect(both.lines.map(\.display) == ["Alle", "stage le"])
    try desk.setDisplay("", of: .all)
    try desk.leaveLine(stage)
    try desk.makeLine(stage)
    #expect(desk.lines.map(\.display) == ["all", "stage le"] && desk.settings.octets[0] == 3)
  }

  @Test func `a node is on 24 lines, and a group has 64`() throws {
    var desk = LineDesk(instance: 1)
    for number in 0..<24 { try desk.makeLine(try Label("line \(number)")) }
    #expect(throws: LineError.tooManyOwnLines) { try desk.makeLine(try Label("x")) }
    try desk.leaveLine(try Label("LINE 3"))
    // Others have 41 more.
    for (index, count) in [24, 17].enumerated() {
      let node = Self.node(index)
      desk.admit(node)
      let lines = Dictionary(
        uniqueKeysWithValues: (1...count).map { ($0, Self.name("of \(index) \($0)")) })
      try desk.take(
        LineMessage.record(
          LineRecord(version: LineVersion(instance: 1, count: 1), lines: lines)
        ).octets, of: node, nowNanoseconds: 0)
    }
    #expect(desk.lines.count == 65)
    #expect(throws: LineError.tooManyLines) { try desk.makeLine(try Label("x")) }
    try desk.joinLine(try Label("of 1 5"))
    #expect(throws: LineError.cannotLeaveAll) { try desk.leaveLine(.all) }
    #expect(throws: LineError.noSuchLine(Self.name("y"))) { try desk.joinLine(Self.name("y")) }
    #expect(throws: LineError.lineExists(Self.name("of 0 1"))) {
      try desk.makeLine(Self.name("of 0 1"))
    }
    #expect(throws: LineError.badLevel(13)) { try desk.setLevel(13, of: .all) }
    #expect(throws: LineError.notOnLine(Self.name("line 3"))) {
      try desk.setListening(true, to: Self.name("line 3"))
    }
  }

  @Test func `an input is for lines that the node is on, and for nobody while it has left them`()
    throws
  {
    var desk = LineDesk(instance: 1)
    let (stage, light) = (Self.name("stage"), Self.name("light"))
    #expect(throws: LineError.notOnLine(stage)) { try desk.setInput("desk", lines: [stage]) }
    #expect(desk.routing.inputs.isEmpty)
    try desk.makeLine(stage)
    try desk.makeLine(light)
    try desk.setInput("desk", lines: [light])
    #expect(desk.routing.inputs == ["desk": LineSet(rawValue: 4)])
    try desk.leaveLine(light)
    #expect(desk.routing.inputs == ["desk": []])
    try desk.setInput("desk", lines: [stage, .all])
    #expect(desk.routing.inputs.isEmpty, "everybody is on all")
    desk.restoreInputs(["desk": [light], "radio": []])
    #expect(desk.routing.inputs == ["desk": []])
    try desk.makeLine(light)
    #expect(desk.routing.inputs["desk"]?.isEmpty == false, "as soon as it is on it")
  }

  @Test func `the number of a line that was left is taken again as late as may be`() throws {
    var own = OwnLines()
    var numbers: [Int] = []
    for round in 0..<30 {
      _ = try own.join(Self.name("a \(round)"))
      numbers.append(try #require(own.number(of: Self.name("a \(round)"))))
      try own.leave(Self.name("a \(round)"))
    }
    #expect(Set(numbers).count == 30)
  }

  @Test func `what is kept comes back, and what is damaged does not`() throws {
    var desk = LineDesk(instance: 1)
    try desk.makeLine(Self.name("stage"))
    try desk.setListening(false, to: Self.name("stage"))
    try desk.setLevel(-12.5, of: .all)
    try desk.setPan(-0.5, of: Self.name("STAGE"))
    try desk.setPort(true, of: Self.name("stage"))
    #expect(throws: LineError.badPan(1.5)) { try desk.setPan(1.5, of: .all) }
    #expect(throws: LineError.notOnLine(Self.name("x"))) { try desk.setPan(0, of: Self.name("x")) }
    var key = try Key(
      Self.name("panic"), lines: [Self.name("stage"), .all], activation: .dual,
      latchMilliseconds: 700, interlock: 9)
    key.mutesWhileTalking = true
    try desk.setKey(key)
    let octets = desk.settings.octets
    let settings = try #require(LineSettings(octets))
    #expect(settings == desk.settings)
    #expect(LineDesk(instance: 2, settings: settings).settings == settings)
    for count in 0..<octets.count { #expect(LineSettings(Array(octets.prefix(count))) == nil) }
    for index in octets.indices {
      var damaged = octets
      damaged[index] ^= 0xFF
      _ = LineSettings(damaged)
    }
  }

  @Test func `what a file sets goes before what was kept`() throws {
    let kept = LineSettings(
      lines: [.init(name: Self.name("a"), isListening: false), .init(name: Self.name("b"))],
      keys: [try Key(Self.name("k"), lines: [.all])])
    let file = LineSettings(
      lines: [.init(name: Self.name("A"))],
      keys: [try Key(Self.name("k"), lines: [Self.name("b")])])
    let both = kept.taking(file)
    #expect(both.lines.map(\.name.text) == ["A", "b"] && both.lines[0].isListening)
    #expect(both.keys.count == 1 && both.keys[0].targets == [.line(Self.name("b"))])
  }

  static func node(_ number: Int) -> NodeID {
    guard let node = NodeID(octets: [UInt8(number + 1)] + [UInt8](repeating: 7, count: 31)) else {
      preconditionFailure("32 octets make an ID")
    }
    return node
  }

  static func name(_ text: String) -> LineName {
    guard let name = try? LineName(text) else { preconditionFailure("a good name: \(text)") }
    return name
  }
}

/// What other nodes may say.
@Suite struct LineMessageTests {
  private static let record = LineRecord(
    version: LineVersion(instance: 5, count: 7),
    lines: [1: LineTests.name("stage"), 30: LineTests.name("👨‍👩‍👧")], talking: .everyone,
    listening: LineSet(rawValue: 0x8000_0003))

  @Test func `who tells of lines all the time is not listened to, and others are`() throws {
    var desk = LineDesk(instance: 1)
    for number in 0..<2 { desk.admit(LineTests.node(number)) }
    func tell(_ node: Int, _ count: UInt64, at now: Int64) throws {
      let version = LineVersion(instance: 1, count: count)
      let record = LineRecord(version: version, lines: [1: LineTests.name("line \(count)")])
      try desk.take(
        LineMessage.record(record).octets, of: LineTests.node(node), nowNanoseconds: now)
    }
    for count in 1...64 { try tell(0, UInt64(count), at: 5) }
    for count in 65...1000 {
      #expect(throws: LineViolation.tooFast) { try tell(0, UInt64(count), at: 999_999_999) }
    }
    #expect(desk.violations[.tooFast] == 936 && desk.lines.map(\.name.text) == ["all", "line 64"])
    try tell(1, 7, at: 999_999_999)
    try tell(0, 1001, at: 1_000_000_005)
    #expect(desk.lines.map(\.name.text) == ["all", "line 1001", "line 7"])
  }

  @Test func `messages are read as they are written`() throws {
    for message in [
      LineMessage.record(Self.record), .record(Self.record, asks: true),
      .tally(version: Self.record.version, talking: [], listening: .everyone),
    ] {
      #expect(try LineMessage(message.octets) == message)
      for count in 0..<message.octets.count {
        #expect(throws: LineViolation.malformed) {
          try LineMessage(Array(message.octets.prefix(count)))
        }
      }
      #expect(throws: LineViolation.malformed) { try LineMessage(message.octets + [0]) }
    }
    #expect(try LineMessage([6, 1, 2]) == nil)
  }

  @Test func `rules that are broken are counted, and nothing is taken`() throws {
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    func octets(_ lines: [(UInt8, String)], count: Int? = nil) -> [UInt8] {
      var octets: [UInt8] = [1] + [UInt8](repeating: 0, count: 24)
      octets[16] = 1
      octets.append(UInt8(count ?? lines.count))
      for (number, name) in lines { octets += [number, UInt8(name.utf8.count)] + Array(name.utf8) }
      return octets
    }
    let bad: [(LineViolation, [UInt8])] = [
      (.malformed, []), (.malformed, octets([(1, "a")], count: 2)),
      (.tooManyLines, octets((1...25).map { (UInt8($0), "line \($0)") })),
      (.tooManyLines, octets([], count: 255)),
      (.badName, octets([(1, "")])), (.badName, octets([(1, "a\u{1B}")])),
      (.badName, octets([(1, String(repeating: "x", count: 31))])),
      (.badNumber, octets([(0, "a")])), (.badNumber, octets([(31, "a")])),
      (.badNumber, octets([(32, "a")])),
      (.badNumber, octets([(1, "a"), (1, "b")])), (.badNumber, octets([(1, "a"), (2, "A")])),
      (.badNumber, octets([(1, "All")])),
    ]
    for (violation, octets) in bad {
      #expect(throws: violation) { try desk.take(octets, of: node, nowNanoseconds: 0) }
    }
    #expect(desk.violations.values.reduce(0, +) == bad.count)
    #expect(desk.lines.map(\.name) == [.all])
    // Of who is no member nothing is taken.
    try desk.take(LineMessage.record(Self.record).octets, of: LineTests.node(2), nowNanoseconds: 0)
    #expect(desk.lines.map(\.name) == [.all])
  }

  @Test func `what is old, or of another run, changes nothing`() throws {
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    func say(_ message: LineMessage) throws {
      try desk.take(message.octets, of: node, nowNanoseconds: 0)
    }
    try say(.tally(version: LineVersion(instance: 5, count: 9), talking: [], listening: []))
    #expect(desk.lines[0].talkers.isEmpty)
    try say(.record(Self.record))
    #expect(desk.lines[0].talkers == [node] && desk.lines.count == 3)
    try say(.tally(version: LineVersion(instance: 5, count: 7), talking: [], listening: []))
    try say(.tally(version: LineVersion(instance: 6, count: 8), talking: [], listening: []))
    try say(.record(LineRecord(version: LineVersion(instance: 4, count: 100))))
    #expect(desk.lines[0].talkers == [node] && desk.lines.count == 3)
    try say(.tally(version: LineVersion(instance: 5, count: 8), talking: [], listening: []))
    #expect(desk.lines[0].talkers.isEmpty)
    desk.depart(node)
    #expect(desk.lines.count == 1)
  }

  @Test func `what comes before its sender is known to be a member is asked for again`() throws {
    var (one, other) = (LineDesk(instance: 1), LineDesk(instance: 1))
    let (first, second) = (LineTests.node(1), LineTests.node(2))
    try one.makeLine(LineTests.name("stage"))
    one.admit(second)
    func post(
      _ from: inout LineDesk, _ node: NodeID, to desk: inout LineDesk, at now: Int64
    ) throws -> Int {
      let letters = from.letters(nowNanoseconds: now)
      for letter in letters {
        try desk.take(letter.octets, of: node, nowNanoseconds: 0)
        from.finish(letter, isDelivered: true, nowNanoseconds: now)
      }
      return letters.count
    }
    #expect(try post(&one, first, to: &other, at: 0) == 1)
    other.admit(first)
    #expect(other.lines.count == 1)
    #expect(try post(&other, second, to: &one, at: 0) == 1)
    #expect(try post(&one, first, to: &other, at: 1_000_000_000) == 1)
    #expect(other.lines.map(\.name.text) == ["all", "stage"])
    // And that is all.
    for step in 2...9 {
      #expect(try post(&one, first, to: &other, at: Int64(step) * 1_000_000_000) == 0)
      #expect(try post(&other, second, to: &one, at: Int64(step) * 1_000_000_000) == 0)
    }
  }

  @Test func `anything at all is taken without harm`() {
    var random = SplitMix64(seed: 34)
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    for _ in 0..<20_000 {
      var octets = LineMessage.record(Self.record).octets
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      octets.removeLast(Int.random(in: 0...3, using: &random))
      try? desk.take(octets, of: node, nowNanoseconds: 0)
    }
    #expect(desk.lines.count <= LineLimits.lines + 1)
  }
}
