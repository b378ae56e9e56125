import Testing

@testable import Lines

/// What a key of each kind does, pressed, held and tapped (COMMS.md §B4).
@Suite struct KeyTests {
  private static let millisecond: Int64 = 1_000_000
  private let stage: LineName
  private let video: LineName
  private var desk: LineDesk

  init() throws {
    (stage, video) = (try LineName("stage"), try LineName("video"))
    desk = LineDesk(instance: 1, isTalking: false)
    try desk.makeLine(stage)
    try desk.makeLine(video)
  }

  private func talks(_ name: LineName) throws -> Bool {
    try #require(desk.lines.first { $0.name == name }).isTalking
  }

  private func listens(_ name: LineName) throws -> Bool {
    try #require(desk.lines.first { $0.name == name }).isListening
  }

  private func view(_ name: KeyName) throws -> KeyView {
    try #require(desk.keys.first { $0.key.name == name })
  }

  /// A key, its line not listened to, and what it does when pressed, after a tap, held, after that, and after a second
  /// tap: whether it talks and whether its line is heard.
  static let table: [(KeyActivation, [String])] = [
    (.talk, ["--", "T-", "T-", "--", "T-", "--"]),
    (.listen, ["--", "-L", "-L", "-L", "-L", "--"]),
    (.talkAndListen, ["--", "TL", "TL", "--", "TL", "--"]),
    (.dual, ["--", "T-", "-L", "TL", "-L", "--"]),
    (.forceListen, ["-L", "-L", "-L", "-L", "-L", "-L"]),
    (.talkForceListen, ["-L", "TL", "TL", "-L", "TL", "-L"]),
    (.forceTalkForceListen, ["TL", "TL", "TL", "TL", "TL", "TL"]),
  ]

  /// Each step by itself: the state before, a press, a tap's release, then from there a press, a long release and taps.
  @Test(arguments: table)
  mutating func `each activation talks and listens as it should`(
    activation: KeyActivation, expected: [String]
  ) throws {
    try desk.setListening(false, to: stage)
    try desk.setKey(try Key(stage, lines: [stage], activation: activation))
    func look() throws -> String {
      (try talks(stage) ? "T" : "-") + (try listens(stage) ? "L" : "-")
    }
    var seen = [try look()]
    try desk.press(stage, nowNanoseconds: 0)
    seen.append(try look())
    try desk.release(stage, nowNanoseconds: 199 * Self.millisecond)
    seen.append(try look())
    // The next press closes what is latched; what is not opens again.
    try desk.press(stage, nowNanoseconds: 1000 * Self.millisecond)
    let pressed = try look()
    try desk.release(stage, nowNanoseconds: 1900 * Self.millisecond)
    seen.append(activation == .dual ? pressed : try look())
    try desk.press(stage, nowNanoseconds: 3000 * Self.millisecond)
    try desk.release(stage, nowNanoseconds: 3100 * Self.millisecond)
    switch activation {
    case .listen, .dual:
      // That tap turned it off; one more turns it on.
      #expect(try look() == "--")
      try desk.press(stage, nowNanoseconds: 4000 * Self.millisecond)
      try desk.release(stage, nowNanoseconds: 4100 * Self.millisecond)
    default: break
    }
    seen.append(try look())
    try desk.press(stage, nowNanoseconds: 5000 * Self.millisecond)
    try desk.release(stage, nowNanoseconds: 5100 * Self.millisecond)
    seen.append(try look())
    #expect(seen == expected)
  }

  @Test(arguments: [true, false, nil])
  mutating func `who presses from afar says what was a tap, however late that comes`(
    isTap: Bool?
  ) throws {
    let milliseconds: Int64 = isTap == true ? 900 : 100
    try desk.press(stage, nowNanoseconds: 0)
    try desk.release(stage, isTap: isTap, nowNanoseconds: milliseconds * Self.millisecond)
    #expect(try talks(stage) == (isTap ?? true))
    // A key that never latches does not by a word.
    try desk.setKey(try Key(stage, lines: [stage], activation: .talk, latchMilliseconds: 0))
    try desk.press(stage, nowNanoseconds: 2000 * Self.millisecond)
    try desk.release(stage, isTap: isTap, nowNanoseconds: 2001 * Self.millisecond)
    #expect(try !talks(stage))
  }

  @Test mutating func `what is held for the latch time or longer closes at its release`() throws {
    for (latch, held, isLatched) in [
      (200, 199, true), (200, 200, false), (0, 0, false), (1000, 999, true), (1000, 1000, false),
    ] {
      try desk.setKey(
        try Key(stage, lines: [stage], activation: .talk, latchMilliseconds: latch))
      try desk.press(stage, nowNanoseconds: 0)
      #expect(try talks(stage), "opens at once")
      try desk.release(stage, nowNanoseconds: Int64(held) * Self.millisecond)
      #expect(try talks(stage) == isLatched, "latch \(latch) held \(held)")
      #expect(try view(stage).isLatched == isLatched)
      guard isLatched else { continue }
      try desk.press(stage, nowNanoseconds: 5000 * Self.millisecond)
      #expect(try !talks(stage), "the next press closes")
      try desk.release(stage, nowNanoseconds: 5010 * Self.millisecond)
      #expect(try !talks(stage), "and its release does nothing")
    }
  }

  @Test mutating func `of an interlock group one key talks at a time`() throws {
    for name in [stage, video] {
      try desk.setKey(try Key(name, lines: [name], activation: .talk, interlock: 3))
    }
    try desk.press(stage, nowNanoseconds: 0)
    try desk.release(stage, nowNanoseconds: Self.millisecond)
    try desk.press(video, nowNanoseconds: 2 * Self.millisecond)
    #expect(try !talks(stage) && talks(video))
    // A key that is held gives way, too, and its release latches nothing.
    try desk.press(stage, nowNanoseconds: 3 * Self.millisecond)
    #expect(try talks(stage) && !talks(video))
    try desk.release(video, nowNanoseconds: 4 * Self.millisecond)
    #expect(try talks(stage) && !talks(video))
    #expect(try !view(video).isLatched)
  }

  @Test mutating func `talking turns listening on, off, or off elsewhere`() throws {
    var key = try Key(stage, lines: [stage], activation: .talk)
    key.listensWhileTalking = true
    try desk.setKey(key)
    try desk.setListening(false, to: stage)
    try desk.press(stage, nowNanoseconds: 0)
    #expect(try listens(stage))
    try desk.release(stage, nowNanoseconds: 500 * Self.millisecond)
    #expect(try !listens(stage))

    try desk.setListening(true, to: stage)
    (key.listensWhileTalking, key.mutesWhileTalking) = (false, true)
    try desk.setKey(key)
    try desk.press(stage, nowNanoseconds: 1000 * Self.millisecond)
    #expect(try !listens(stage) && listens(video) && listens(.all))
    try desk.release(stage, nowNanoseconds: 2000 * Self.millisecond)
    #expect(try listens(stage))

    (key.mutesWhileTalking, key.isolates) = (false, true)
    try desk.setKey(key)
    try desk.press(stage, nowNanoseconds: 3000 * Self.millisecond)
    #expect(try listens(stage) && !listens(video) && !listens(.all))
    try desk.release(stage, nowNanoseconds: 4000 * Self.millisecond)
    #expect(try listens(video) && listens(.all))
  }

  @Test mutating func `a key sends the microphone untreated while it alone talks`() throws {
    var key = try Key(stage, lines: [stage])
    key.sendsUntreated = true
    try desk.setKey(key)
    #expect(!desk.routing.isUntreated)
    try desk.press(stage, nowNanoseconds: 0)
    #expect(desk.routing.isUntreated)
    try desk.press(video, nowNanoseconds: Self.millisecond)
    #expect(!desk.routing.isUntreated)
    try desk.release(video, nowNanoseconds: 500 * Self.millisecond)
    #expect(desk.routing.isUntreated)
    try desk.release(stage, nowNanoseconds: 600 * Self.millisecond)
    #expect(!desk.routing.isUntreated)
    let kept = try #require(LineSettings(desk.settings.octets))
    #expect(kept.keys.first { $0.name == stage } == key)
  }

  @Test mutating func `what a device holds is let go within a second of its last word`() throws {
    let pedal = KeyHolder.device(try Label("pedal"))
    try desk.press(stage, by: pedal, nowNanoseconds: 0)
    try desk.press(video, nowNanoseconds: 0)
    try desk.release(video, nowNanoseconds: Self.millisecond)
    for step in 1...10 {
      let now = Int64(step) * 400 * Self.millisecond
      try desk.renew(try Label("pedal"), nowNanoseconds: now)
      desk.tick(nowNanoseconds: now)
      #expect(try talks(stage))
    }
    #expect(desk.nextDeadlineNanoseconds <= 5000 * Self.millisecond)
    desk.tick(nowNanoseconds: 4999 * Self.millisecond)
    #expect(try talks(stage))
    desk.tick(nowNanoseconds: 5000 * Self.millisecond)
    #expect(try !talks(stage), "held keys go")
    #expect(try talks(video) && view(video).isLatched, "latched ones stay and are shown")
  }

  @Test mutating func `a key that two hold is open until both let go`() throws {
    let pedal = KeyHolder.device(try Label("pedal"))
    try desk.press(stage, nowNanoseconds: 0)
    try desk.press(stage, by: pedal, nowNanoseconds: 100 * Self.millisecond)
    try desk.release(stage, nowNanoseconds: 300 * Self.millisecond)
    #expect(try talks(stage))
    try desk.release(stage, by: pedal, nowNanoseconds: 600 * Self.millisecond)
    #expect(try !talks(stage))
    // What nobody presses is let go of without harm.
    try desk.release(stage, by: pedal, nowNanoseconds: 700 * Self.millisecond)
  }

  @Test mutating func `a line has a key of its name until another is set for it`() throws {
    #expect(desk.keys.map(\.key.name.text) == ["all", "stage", "video"])
    try desk.setKey(try Key(try KeyName("Bühne"), lines: [stage]))
    #expect(desk.keys.map(\.key.name.text) == ["all", "Bühne", "video"])
    try desk.removeKey(try KeyName("bühne"))
    #expect(desk.keys.map(\.key.name.text) == ["all", "stage", "video"])
    #expect(throws: LineError.ownKey(stage)) { try desk.removeKey(stage) }
    #expect(throws: LineError.noSuchKey(try Label("x"))) { try desk.removeKey(try Label("x")) }
    try desk.press(stage, nowNanoseconds: 0)
    try desk.leaveLine(stage)
    #expect(throws: LineError.noSuchKey(stage)) { try desk.release(stage, nowNanoseconds: 1) }
    #expect(desk.routing.talk.isEmpty)
  }

  @Test mutating func `a latch of a line's own key ends where another is set for it`() throws {
    try desk.press(stage, nowNanoseconds: 0)
    try desk.release(stage, nowNanoseconds: 1)
    #expect(try talks(stage))
    try desk.setKey(try Key(try KeyName("other"), lines: [stage]))
    #expect(try !talks(stage))
    try desk.removeKey(try KeyName("other"))
    #expect(try !talks(stage) && !view(stage).isLatched)
  }

  @Test mutating func `talk on and off is the key of line all`() throws {
    try desk.setTalk(true)
    #expect(try talks(.all) && view(.all).isLatched && desk.isTalkLatched)
    try desk.press(.all, nowNanoseconds: 0)
    #expect(try !talks(.all))
    try desk.release(.all, nowNanoseconds: 1)
    try desk.setTalk(true)
    try desk.setTalk(false)
    #expect(try !talks(.all) && !talks(stage))
    try desk.setKey(try Key(.all, lines: [.all], activation: .forceListen))
    #expect(throws: LineError.noTalkKey(.all)) { try desk.setTalk(true) }
  }

  @Test mutating func `a contact that chatters is stopped at 32 presses a second`() throws {
    for press in 0..<LineLimits.pressesPerSecond {
      try desk.press(stage, nowNanoseconds: Int64(press) * 10 * Self.millisecond)
      try desk.release(stage, nowNanoseconds: Int64(press) * 10 * Self.millisecond + 1)
    }
    #expect(throws: LineError.tooFast) {
      try desk.press(stage, nowNanoseconds: 999 * Self.millisecond)
    }
    // Nor does it take anything from another.
    let pedal = KeyHolder.device(try Label("pedal"))
    try desk.press(video, by: pedal, nowNanoseconds: 999 * Self.millisecond)
    // Letting go is never refused.
    try desk.release(stage, nowNanoseconds: 999 * Self.millisecond)
    try desk.press(stage, nowNanoseconds: 1000 * Self.millisecond)
  }

  @Test mutating func `many holders together press 256 times a second`() throws {
    var taken = 0
    for press in 0..<400 {
      let holder = KeyHolder.device(try Label("pedal \(press % 20)"))
      let now = Int64(press)
      do {
        try desk.press(stage, by: holder, nowNanoseconds: now)
        taken += 1
        try desk.release(stage, by: holder, nowNanoseconds: now)
      } catch { #expect(error == .tooFast) }
    }
    #expect(taken == LineLimits.allPressesPerSecond)
  }

  @Test func `what no key can be is refused in words`() throws {
    #expect(throws: LineError.noTarget(stage)) { try Key(stage, lines: []) }
    #expect(throws: LineError.badLatch(1001)) {
      try Key(stage, lines: [stage], latchMilliseconds: 1001)
    }
    #expect(throws: LineError.badInterlock(10)) { try Key(stage, lines: [stage], interlock: 10) }
    #expect(throws: LineError.badInterlock(0)) { try Key(stage, lines: [stage], interlock: 0) }
    var full = LineDesk(instance: 1)
    for number in 0..<LineLimits.keys {
      try full.setKey(try Key(try Label("k\(number)"), lines: [.all]))
    }
    #expect(throws: LineError.tooManyKeys) { try full.setKey(try Key(stage, lines: [.all])) }
    for error: LineError in [
      .badLabel("\u{7}"), .tooFast, .badHolder, .tooManyKeys, .tooManyLines, .badLatch(-1),
    ] {
      #expect(!"\(error)".isEmpty)
    }
  }
}
