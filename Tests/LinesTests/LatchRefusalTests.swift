import Testing

@testable import Lines

/// Whom a key is for may let none latch (COMMS.md §B4: "Latch refused if the target forbids it").
@Suite struct LatchRefusalTests {
  private var pair = CallPair()
  private let key = LineTests.name("key")

  init() throws {
    try pair.desks[0].setKey(try Key(key, targets: [.member(try MemberName("bert"))]))
  }

  private mutating func setLatch(_ node: Int, _ setting: String) throws {
    try pair.desks[node].setEar(["caller-latch": setting])
    pair.post()
  }

  private var view: KeyView? { pair.desks[0].keys.first { $0.key.name == key } }

  @Test mutating func `a key for who refuses talks while it is held, however short`()
    throws
  {
    try setLatch(1, "off")
    #expect(view?.latchRefusedBy == CallPair.nodes[1])
    try pair.desks[0].press(key, nowNanoseconds: pair.now)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]], "at once")
    try pair.desks[0].release(key, nowNanoseconds: pair.now + 50_000_000)
    #expect(pair.heardAlone(0).isEmpty && view?.isLatched == false)
    try setLatch(1, "on")
    #expect(view?.latchRefusedBy == nil)
    try pair.tap(0, key)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]] && view?.isLatched == true)
  }

  @Test mutating func `what was latched closes once that is refused, and what is held does not`()
    throws
  {
    try pair.tap(0, key)
    try setLatch(1, "off")
    #expect(pair.heardAlone(0).isEmpty && view?.isLatched == false)
    try pair.desks[0].press(key, nowNanoseconds: pair.now)
    try setLatch(1, "on")
    try setLatch(1, "off")
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]])
  }

  @Test mutating func `a tap is refused in words, and does nothing`() throws {
    try setLatch(1, "off")
    let error = #expect(throws: LineError.self) {
      try pair.desks[0].tap(key, nowNanoseconds: pair.now)
    }
    #expect(error.map { "\($0)".hasPrefix("bert lets no key stay open; hold it with") } == true)
    #expect(pair.heardAlone(0).isEmpty && view?.isHeld == false)
    try pair.desks[0].setKey(
      try Key(key, targets: [.member(try MemberName("carl"))]))
    try pair.desks[0].tap(key, nowNanoseconds: pair.now)
    #expect(pair.heardAlone(0) == [CallPair.nodes[2]], "others take it")
  }

  @Test mutating func `a reply to who refuses is held, and lines, groups and announcements latch`()
    throws
  {
    try setLatch(1, "off")
    try pair.call(1, 0)
    #expect(throws: LineError.self) { try pair.desks[0].tap(.reply, nowNanoseconds: pair.now) }
    try pair.desks[0].press(.reply, nowNanoseconds: pair.now)
    #expect(pair.heardAlone(0) == [CallPair.nodes[1]])
    try pair.desks[0].release(.reply, nowNanoseconds: pair.now)
    #expect(pair.heardAlone(0).isEmpty && pair.desks[0].calls.answering == nil)
    let crew = try GroupLabel("crew")
    pair.desks[0].follow(groups: [crew: [CallPair.nodes[1]]])
    let targets: [KeyTarget] = [.line(.all), .group(crew), .announcement, .allLines]
    for target in targets {
      try pair.desks[0].setKey(try Key(key, targets: [target], latchMilliseconds: 200))
      try pair.desks[0].tap(key, nowNanoseconds: pair.now)
      #expect(view?.isLatched == true && view?.latchRefusedBy == nil)
      try pair.desks[0].tap(key, nowNanoseconds: pair.now)
    }
  }

  @Test mutating func `who leaves and who comes are told, and it is kept`() throws {
    try setLatch(1, "off")
    pair.desks[0].depart(CallPair.nodes[1])
    #expect(view?.latchRefusedBy == nil)
    pair.desks[0].admit(CallPair.nodes[1])
    pair.desks[1].depart(CallPair.nodes[0])
    pair.desks[1].admit(CallPair.nodes[0])
    pair.post()
    #expect(view?.latchRefusedBy == CallPair.nodes[1])
    let kept = try #require(LineSettings(pair.desks[1].settings.octets))
    #expect(!LineDesk(instance: 2, settings: kept).ear.letsCallersLatch)
  }
}
