import Cryptography
import Intercom
import Mesh
import Testing

@testable import NodeDaemon

@Suite struct MembershipLogTests {
  private static let node = NodeID(octets: [UInt8](repeating: 7, count: NodeID.byteCount))

  private static func lines(_ event: (NodeID) -> MembershipEvent) throws -> [String] {
    let lines = LogLines()
    MembershipLog.write(event(try #require(node)), lines.logger("mesh"))
    return lines.all
  }

  /// Each kind of event: its level, and what a person has to read of it.
  private static let events: [(event: @Sendable (NodeID) -> MembershipEvent, words: [String])] = [
    (
      { .admitted($0, name: "foh", isInGroup: true) },
      ["NOTICE mesh: member ", "by=group", "peer=foh"]
    ),
    (
      { .admitted($0, name: "foh", isInGroup: false) },
      ["NOTICE mesh: member ", "by=\"trust or policy\""]
    ),
    (
      { .departed($0, name: "foh", .flooding) },
      ["NOTICE mesh: member gone ", "peer=foh", "why=flooding"]
    ),
    (
      { .invited($0, name: "foh") },
      ["NOTICE mesh: a node asks to be let in", "comlink accept or decline"]
    ),
    ({ .invitationEnded($0) }, ["INFO mesh: the request to be let in was answered or expired"]),
    (
      { .declined($0, words: "not admitted") },
      ["NOTICE mesh: a node declined this one", "says=\"not admitted\""]
    ),
    ({ .stranger($0, name: "foh") }, ["NOTICE mesh: ", "comlink invite", "peer=foh"]),
    (
      { _ in .unresolved(peer: "foh.local:5004", reason: "no such host") },
      [
        "WARNING mesh: the peer's host name does not resolve", "peer=foh.local:5004",
        "reason=\"no such host\"",
      ]
    ),
    ({ _ in .ourselves(peer: "10.0.0.1:5004") }, ["WARNING mesh: ", "address=10.0.0.1:5004"]),
    (
      { _ in
        .twin(IdentityTwin(instance: 9, isLater: true, toldBy: "foh", address: nil))
      },
      [
        "WARNING mesh: this identity runs on another node, started later: nobody lets this one in; was its",
        "comlink id new on one of the two", "start=9", "by=foh",
      ]
    ),
    (
      { .forgotten($0, name: "box", by: "foh") },
      ["NOTICE mesh: a node that is away was forgotten", "peer=box", "by=foh"]
    ),
    ({ _ in .rebuilt(peer: "foh") }, ["INFO mesh: peer keeps failing", "peer=foh"]),
    (
      { .recording($0, name: "foh", true) },
      ["NOTICE mesh: a member records what it hears", "peer=foh"]
    ),
    ({ .recording($0, name: "foh", false) }, ["NOTICE mesh: a member stopped recording"]),
    ({ _ in .fault("no key") }, ["ERROR mesh: no key"]),
  ]

  @Test(arguments: events.indices)
  func `an event is one line of its level, with who and why`(index: Int) throws {
    let (event, words) = Self.events[index]
    let lines = try Self.lines(event)
    #expect(lines.count == 1)
    for word in words { #expect(lines.first?.contains(word) == true, "\(lines)") }
  }

  @Test func `each kind of event has a name of its own, behind the words`() throws {
    let names = try Self.events.map { event, _ in
      let line = try #require(try Self.lines(event).first)
      let rest = try #require(line.split(separator: " event=", maxSplits: 1).dropFirst().first)
      return String(rest.prefix { !$0.isWhitespace })
    }
    // One kind is there twice.
    #expect(Set(names).count == Self.events.count - 1, "\(names)")
  }

  @Test func `who somebody is stands in words, which nobody can choose`() throws {
    let words = try #require(Self.node).words.joined(separator: " ")
    for line in try Self.lines({ .invited($0, name: "x") }) { #expect(line.contains(words)) }
  }

  @Test func `a name or words of a stranger end no line and command no terminal`() throws {
    let hostile = "\u{1B}[2Jx\nERROR comlinkd: all is lost"
    for lines in [
      try Self.lines { .invited($0, name: hostile) },
      try Self.lines { .declined($0, words: hostile) },
    ] {
      #expect(lines.count == 1)
      #expect(lines[0].split(separator: "\n").count == 1 && !lines[0].contains("\u{1B}"))
    }
  }
}
