import Cryptography
import Testing

@testable import Lines

/// Who may set something at a node, and what becomes of its keys by that.
@Suite struct OperatorTests {
  private var desk = LineDesk(instance: 1, isTalking: false)

  @Test mutating func `all latches are released, and what stays open is told`() throws {
    let names = ["latched", "held", "forced", "both"].map(LineTests.name)
    for name in names.prefix(2) + [names[3]] { try desk.setKey(try Key(name, lines: [.all])) }
    try desk.setKey(try Key(names[2], lines: [.all], activation: .forceTalkForceListen))
    for name in [names[0], names[3]] {
      try desk.press(name, nowNanoseconds: 0)
      try desk.release(name, nowNanoseconds: 1)
    }
    try desk.press(names[1], nowNanoseconds: 0)
    let keys = desk.releaseLatches()
    #expect(keys.released.map(\.text) == ["both", "latched"])
    #expect(keys.held == [names[1]] && keys.forced == [names[2]])
    #expect(
      keys.words == "released: both, latched; still open, held: held; still open, always: forced")
    #expect(
      keys.words(hiding: ["both", "held"])
        == "released: latched, 1 of private lines; still open, held: 1 of private lines; "
        + "still open, always: forced")
    #expect(desk.keys.filter(\.isTalking).map(\.key.name.text) == ["forced", "held"])
    // The finger that held on lets go as ever.
    try desk.release(names[1], nowNanoseconds: 1_000_000_000)
    #expect(desk.keys.first { $0.key.name == names[1] }?.isTalking == false)
    try desk.removeKey(names[2])
    #expect(desk.releaseLatches().words == "no key was open" && desk.routing.talk.isEmpty)
  }

  @Test mutating func `operators are kept, within bounds`() throws {
    for number in 0..<32 { try desk.setOperator(LineTests.node(number), [.kill, .levels]) }
    #expect(throws: LineError.tooManyOperators) {
      try desk.setOperator(LineTests.node(32), .all)
    }
    try desk.setOperator(LineTests.node(3), try OperatorRights(words: []))
    try desk.setOperator(LineTests.node(4), nil)
    #expect(throws: LineError.noOperator) { try desk.setOperator(LineTests.node(4), nil) }
    #expect(desk.operators[LineTests.node(3)]?.words == ["mic-gain", "levels", "keys", "kill"])
    let octets = desk.settings.octets
    let settings = try #require(LineSettings(octets))
    #expect(settings == desk.settings && settings.operators.count == 31)
    #expect(LineDesk(instance: 2, settings: settings).operators == desk.operators)
    for count in 0..<octets.count { #expect(LineSettings(Array(octets.prefix(count))) == nil) }
    #expect(throws: LineError.badOperatorRight("all")) { try OperatorRights(words: ["all"]) }
    #expect(try OperatorRights(words: ["kill"]).words == ["kill"])
  }
}
