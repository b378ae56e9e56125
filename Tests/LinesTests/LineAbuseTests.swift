import Cryptography
import RTP
import Testing

@testable import Lines

/// Members that tell what is not so, again, or more than anybody needs.
@Suite struct LineAbuseTests {
  private static let stage = LineTests.name("stage")

  private static func calls(
    _ count: UInt64, _ entries: [CallContent.Entry], talksAlone: Bool = false
  ) -> [UInt8] {
    var content = CallContent()
    (content.calls, content.talksAlone) = (entries, talksAlone)
    return LineMessage.calls(version: LineVersion(instance: 1, count: count), content).octets
  }

  @Test func `of ten thousand line names 64 are shown, and a user can still leave and join`()
    throws
  {
    var desk = LineDesk(instance: 1)
    try desk.makeLine(Self.stage)
    for number in 0..<250 {
      let node = LineTests.node(number)
      desk.admit(node)
      for round in 0..<2 {
        // Twice as many, the former names gone.
        let names = (1...24).map { place in
          (place, LineTests.name("flood \(round) \(number) \(place)"))
        }
        let record = LineRecord(
          version: LineVersion(instance: 1, count: UInt64(round + 1)),
          lines: Dictionary(uniqueKeysWithValues: names))
        try desk.take(
          LineMessage.record(record).octets, of: node, nowNanoseconds: Int64(number))
      }
    }
    #expect(desk.directory.names.count == 6000, "the latest of each only")
    #expect(desk.lines.count == 65 && desk.lines.prefix(2).map(\.name) == [.all, Self.stage])
    let error = #expect(throws: LineError.tooManyLines) {
      try desk.makeLine(LineTests.name("one more"))
    }
    #expect(error.map { "\($0)".isEmpty } == false)
    let flood = LineTests.name("flood 1 3 5")
    try desk.joinLine(flood)
    try desk.leaveLine(flood)
    #expect(throws: LineError.noSuchLine(LineTests.name("flood 0 3 5"))) {
      try desk.joinLine(LineTests.name("flood 0 3 5"))
    }
    for number in 0..<250 { desk.depart(LineTests.node(number)) }
    #expect(desk.lines.map(\.name) == [.all, Self.stage])
  }

  @Test func `a call on a line that its caller is not on, or we are not, does not ring`() throws {
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    try desk.makeLine(Self.stage)
    let other = LineTests.name("video")
    let record = LineRecord(version: LineVersion(instance: 1, count: 1), lines: [1: other])
    try desk.take(LineMessage.record(record).octets, of: node, nowNanoseconds: 1)
    let entries = [
      CallContent.Entry(number: 1, line: Self.stage), CallContent.Entry(number: 2, line: other),
    ]
    try desk.take(Self.calls(1, entries), of: node, nowNanoseconds: 2)
    #expect(desk.calls.incoming.isEmpty && desk.takeNewCalls().isEmpty)
  }

  @Test func `a call's message that comes again rings no more than once`() throws {
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    desk.admit(node)
    let ring = Self.calls(1, [CallContent.Entry(number: 1, line: nil)])
    let talk = Self.calls(2, [], talksAlone: true)
    for octets in [ring, talk, ring, talk, Self.calls(3, [])] {
      try desk.take(octets, of: node, nowNanoseconds: 1)
    }
    #expect(desk.takeNewCalls().count == 1)
    desk.clearCalls(nowNanoseconds: 2)
    #expect(desk.calls.incoming.isEmpty)
    for octets in [ring, talk, ring] { try desk.take(octets, of: node, nowNanoseconds: 3) }
    #expect(desk.calls.incoming.isEmpty && desk.takeNewCalls().isEmpty)
    // Nor by who is no member, under any number.
    try desk.take(
      Self.calls(9, [CallContent.Entry(number: 9, line: nil)]), of: LineTests.node(2),
      nowNanoseconds: 4)
    #expect(desk.calls.incoming.isEmpty)
  }

  /// What is told of lines and of calls comes by letters of their own, either of them first.
  @Test
  func `a call that comes before its caller is known is asked for, be its lines known or not`()
    throws
  {
    var desk = LineDesk(instance: 1)
    let node = LineTests.node(1)
    let entry = CallContent.Entry(number: 1, line: nil)
    try desk.take(Self.calls(1, [entry]), of: node, nowNanoseconds: 1)
    desk.admit(node)
    let record = LineRecord(version: LineVersion(instance: 1, count: 1))
    try desk.take(LineMessage.record(record).octets, of: node, nowNanoseconds: 2)
    for isFirst in [true, false] {
      let letter = try #require(desk.letters(nowNanoseconds: isFirst ? 3 : 10_000_000_000).first)
      guard case .record(_, let asks) = try LineMessage(letter.octets) else {
        Issue.record("a record goes to who has none")
        return
      }
      #expect(asks == isFirst)
      desk.finish(letter, isDelivered: true, nowNanoseconds: 4)
      try desk.makeLine(LineTests.name("line \(isFirst)"))
    }
  }
}
