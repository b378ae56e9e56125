import TestKit
import Testing

@testable import Keys

/// A panel beside a station, in virtual time.
@Suite struct KeyPanelTests {
  private static func line(_ name: String) -> LineSettings {
    LineSettings(name: name, isActiveLow: true)
  }

  private static func button(_ key: String, _ line: String) -> ButtonSettings {
    ButtonSettings(key: key, contact: .line(self.line(line)))
  }

  /// Two buttons for `talk`, one for `stage`.
  static var settings: PanelSettings {
    var settings = PanelSettings()
    settings.buttons = [
      button("talk", "GPIO17"), button("talk", "GPIO18"), button("stage", "GPIO22"),
    ]
    return settings
  }

  /// What the panel does, without lamps and relays, in turns until there is nothing left.
  private static func keys(
    _ panel: inout KeyPanel, at milliseconds: Int64, levels: [Bool] = [false, false, false]
  ) -> [KeyPanel.Action] {
    var all: [KeyPanel.Action] = []
    while true {
      let actions = panel.turn(at: .milliseconds(milliseconds))
      guard !actions.isEmpty else { return all }
      for action in actions {
        switch action {
        case .look(let button):
          panel.settle(
            button: button, isClosed: levels[button], at: .milliseconds(milliseconds))
        case .light, .relay: break
        default: all.append(action)
        }
      }
    }
  }

  @Test func `a press goes out in the turn after its edge, and so does the release`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.button(0, isClosed: true, at: .milliseconds(5))
    #expect(Self.keys(&panel, at: 5) == [.press(key: "talk")])
    #expect(panel.deadline == .milliseconds(15))
    #expect(Self.keys(&panel, at: 15, levels: [true, false, false]) == [])
    #expect(panel.deadline == nil)
    panel.button(0, isClosed: false, at: .milliseconds(300))
    #expect(Self.keys(&panel, at: 300) == [.release(key: "talk")])
  }

  @Test func `a key is held while any of its buttons is`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.button(0, isClosed: true, at: .milliseconds(0))
    panel.button(2, isClosed: true, at: .milliseconds(20))
    panel.button(1, isClosed: true, at: .milliseconds(100))
    #expect(
      Self.keys(&panel, at: 100, levels: [true, true, true])
        == [.press(key: "talk"), .press(key: "stage")])
    panel.button(0, isClosed: false, at: .milliseconds(200))
    #expect(Self.keys(&panel, at: 200, levels: [false, true, true]) == [])
    panel.button(1, isClosed: false, at: .milliseconds(300))
    #expect(Self.keys(&panel, at: 300, levels: [false, false, true]) == [.release(key: "talk")])
  }

  @Test func `a device that is unplugged releases its key at once`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.button(2, isClosed: true, at: .zero)
    #expect(Self.keys(&panel, at: 0) == [.press(key: "stage")])
    panel.lose(button: 2, at: .milliseconds(1))
    #expect(Self.keys(&panel, at: 1) == [.release(key: "stage")])
    panel.lose(button: 2, at: .milliseconds(2))
    #expect(Self.keys(&panel, at: 2) == [])
  }

  @Test func `what is held when the station returns is pressed again, what was is not`() {
    var panel = KeyPanel(Self.settings)
    panel.button(0, isClosed: true, at: .zero)
    panel.button(2, isClosed: true, at: .zero)
    #expect(Self.keys(&panel, at: 0) == [])
    panel.button(2, isClosed: false, at: .milliseconds(500))
    #expect(Self.keys(&panel, at: 500, levels: [true, false, false]) == [])
    panel.link(isUp: true, at: .zero)
    #expect(Self.keys(&panel, at: 600, levels: [true, false, false]) == [.press(key: "talk")])
    // It released what the connection held: nothing is to be said of that.
    panel.link(isUp: false, at: .zero)
    #expect(Self.keys(&panel, at: 700, levels: [true, false, false]) == [])
    panel.link(isUp: true, at: .zero)
    #expect(Self.keys(&panel, at: 800, levels: [true, false, false]) == [.press(key: "talk")])
  }

  private static func tally(latch: Duration, isTalking: Bool = false) -> Tally {
    var key = KeyTally()
    key.isTalking = isTalking
    key.latch = latch
    var tally = Tally()
    tally["talk"] = key
    return tally
  }

  @Test func `a device that goes while its press is short does not latch the key`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.show(Self.tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: true, at: .seconds(1))
    #expect(Self.keys(&panel, at: 1000) == [.press(key: "talk")])
    panel.lose(button: 0, at: .milliseconds(1050))
    #expect(Self.keys(&panel, at: 1050) == [])
    #expect(panel.deadline == .milliseconds(1220))
    #expect(Self.keys(&panel, at: 1219) == [])
    #expect(Self.keys(&panel, at: 1220) == [.release(key: "talk")])
    // One that was held is released at once, and a tap of a hand is a tap.
    panel.button(0, isClosed: true, at: .seconds(2))
    panel.lose(button: 0, at: .milliseconds(2220))
    #expect(Self.keys(&panel, at: 2220) == [.press(key: "talk"), .release(key: "talk")])
    panel.button(0, isClosed: true, at: .seconds(3))
    panel.button(0, isClosed: false, at: .milliseconds(3050))
    #expect(Self.keys(&panel, at: 3050) == [.press(key: "talk"), .release(key: "talk")])
  }

  /// A tap of 50 ms, which the station shows as latched or not; its device goes so much later.
  private static func tapThenLoss(
    isTalking: Bool, after milliseconds: Int64
  ) -> (panel: KeyPanel, lost: Int64) {
    var panel = KeyPanel(settings)
    panel.link(isUp: true, at: .zero)
    panel.show(tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: true, at: .seconds(1))
    panel.button(0, isClosed: false, at: .milliseconds(1050))
    #expect(keys(&panel, at: 1050) == [.press(key: "talk"), .release(key: "talk")])
    panel.show(tally(latch: .milliseconds(200), isTalking: isTalking))
    panel.lose(button: 0, at: .milliseconds(1050 + milliseconds))
    return (panel, 1050 + milliseconds)
  }

  @Test(arguments: [1, 60, 999])
  func `what the kernel lets go of as the device goes is no tap`(milliseconds: Int64) {
    var (panel, lost) = Self.tapThenLoss(isTalking: true, after: milliseconds)
    #expect(Self.keys(&panel, at: lost) == [])
    #expect(panel.deadline == .milliseconds(lost + 100))
    #expect(Self.keys(&panel, at: lost + 99) == [])
    let undone: [KeyPanel.Action] = [.press(key: "talk"), .release(key: "talk")]
    #expect(Self.keys(&panel, at: lost + 100) == undone)
    #expect(Self.keys(&panel, at: lost + 200) == [])
  }

  @Test func `a tap whose device goes is undone only if it is new, latched, and the last press`() {
    var (panel, lost) = Self.tapThenLoss(isTalking: true, after: 1000)
    #expect(Self.keys(&panel, at: lost + 100) == [])
    (panel, lost) = Self.tapThenLoss(isTalking: false, after: 10)
    #expect(Self.keys(&panel, at: lost + 100) == [])
    (panel, lost) = Self.tapThenLoss(isTalking: true, after: 10)
    panel.button(1, isClosed: true, at: .milliseconds(lost + 50))
    let levels = [false, true, false]
    #expect(Self.keys(&panel, at: lost + 50, levels: levels) == [.press(key: "talk")])
    #expect(Self.keys(&panel, at: lost + 100, levels: levels) == [])
  }

  @Test func `two taps are two, however soon after one another`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.show(Self.tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: true, at: .seconds(1))
    panel.button(0, isClosed: false, at: .milliseconds(1050))
    #expect(Self.keys(&panel, at: 1055) == [.press(key: "talk"), .release(key: "talk")])
    panel.button(0, isClosed: true, at: .milliseconds(1060))
    let again: [KeyPanel.Action] = [.press(key: "talk")]
    #expect(Self.keys(&panel, at: 1060, levels: [true, false, false]) == again)
  }

  @Test func `a press that waits for its end goes on when a button is pressed again`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.show(Self.tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: true, at: .seconds(1))
    panel.lose(button: 0, at: .milliseconds(1010))
    panel.button(1, isClosed: true, at: .milliseconds(1100))
    let levels = [false, true, false]
    #expect(Self.keys(&panel, at: 1100, levels: levels) == [.press(key: "talk")])
    #expect(Self.keys(&panel, at: 1500, levels: levels) == [])
    panel.button(1, isClosed: false, at: .milliseconds(1600))
    #expect(Self.keys(&panel, at: 1600) == [.release(key: "talk")])
  }

  @Test func `what is pressed again for a new connection does not latch`() {
    var panel = KeyPanel(Self.settings)
    panel.button(0, isClosed: true, at: .zero)
    panel.link(isUp: true, at: .seconds(1))
    panel.show(Self.tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: false, at: .milliseconds(1050))
    #expect(Self.keys(&panel, at: 1050) == [.press(key: "talk")])
    #expect(Self.keys(&panel, at: 1220) == [.release(key: "talk")])
  }

  @Test func `at its end a press that could be taken for a tap is left to the station`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    panel.show(Self.tally(latch: .milliseconds(200)))
    panel.button(0, isClosed: true, at: .seconds(1))
    panel.button(2, isClosed: true, at: .seconds(1))
    _ = panel.turn(at: .seconds(1))
    #expect(panel.end(at: .milliseconds(1100)) == [.release(key: "stage")])
  }

  @Test func `a contact that floods lets go of its key and says so once`() {
    var panel = KeyPanel(Self.settings)
    panel.link(isUp: true, at: .zero)
    var actions: [KeyPanel.Action] = []
    for edge in 0..<4000 {
      panel.button(0, isClosed: edge % 2 == 0, at: .milliseconds(edge * 10))
      actions += Self.keys(&panel, at: Int64(edge * 10), levels: [edge % 2 == 0, false, false])
    }
    #expect(actions.count { $0 == .press(key: "talk") } == 32)
    #expect(actions.count { $0 == .release(key: "talk") } == 32)
    #expect(actions.suffix(1) == [.floods(button: 0)])
    #expect(Self.keys(&panel, at: 42_000) == [.isCalm(button: 0)])
  }

  @Test func `at its end it releases keys, and puts lamps and relays out`() {
    var settings = Self.settings
    settings.lamps = [LampSettings(key: "talk", place: .light("ACT"))]
    settings.relays = [RelaySettings(cause: .talk, line: Self.line("GPIO5"))]
    var panel = KeyPanel(settings)
    panel.link(isUp: true, at: .zero)
    panel.button(0, isClosed: true, at: .zero)
    _ = panel.turn(at: .zero)
    #expect(
      panel.end(at: .zero) == [
        .release(key: "talk"), .light(lamp: 0, .off), .relay(0, isClosed: false),
      ])
  }

  @Test(arguments: Seeds.first(100))
  func `whatever happens, a key is pressed exactly while a button of it is`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var panel = KeyPanel(Self.settings)
    var levels = [false, false, false]
    var pressed: Set<String> = []
    var isUp = false
    var now: Int64 = 0
    for _ in 0..<3000 {
      now += Int64.random(in: 0...120, using: &random)
      let button = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<30, using: &random) {
      case 0:
        isUp.toggle()
        panel.link(isUp: isUp, at: .zero)
        pressed = []
      case 1:
        panel.lose(button: button, at: .milliseconds(now))
        levels[button] = false
      default:
        levels[button].toggle()
        panel.button(button, isClosed: levels[button], at: .milliseconds(now))
      }
      for action in Self.keys(&panel, at: now, levels: levels) {
        switch action {
        case .press(let key): #expect(isUp && pressed.insert(key).inserted)
        case .release(let key): #expect(pressed.remove(key) != nil)
        default: break
        }
      }
    }
    now += 2000
    for action in Self.keys(&panel, at: now, levels: levels) {
      switch action {
      case .press(let key): pressed.insert(key)
      case .release(let key): pressed.remove(key)
      default: break
      }
    }
    let held = zip(Self.settings.buttons, levels).filter { $1 }.map(\.0.key)
    #expect(pressed == (isUp ? Set(held) : []))
  }
}

/// What lamps and relays say of a station.
@Suite struct LampAndRelayTests {
  static let idle = KeyTally()
  static let talking = KeyTally(
    isTalking: true, isListening: true, isCalled: false, isInUse: true)
  static let listening = KeyTally(
    isTalking: false, isListening: true, isCalled: false, isInUse: false)
  static let inUse = KeyTally(
    isTalking: false, isListening: false, isCalled: false, isInUse: true)
  static let called = KeyTally(isTalking: true, isListening: true, isCalled: true, isInUse: true)

  static let language: [(LampSettings.Shown, KeyTally, LampPattern)] = [
    (.all, idle, .dim), (.all, listening, .dim), (.all, inUse, .inUse), (.all, talking, .steady),
    (.all, called, .call),
    (.talk, idle, .dim), (.talk, inUse, .dim), (.talk, talking, .steady),
    (.talk, called, .steady),
    (.listen, idle, .off), (.listen, listening, .steady), (.listen, inUse, .inUse),
    (.call, idle, .off), (.call, talking, .off), (.call, called, .call),
  ]

  @Test(arguments: language)
  func `a lamp says of a key what panels say`(
    shown: LampSettings.Shown, key: KeyTally, pattern: LampPattern
  ) {
    var lamp = LampSettings(key: "talk", place: .light("ACT"))
    lamp.shown = shown
    #expect(lamp.pattern(of: key) == pattern)
  }

  /// Milliseconds at which the light changes within two seconds, and to what.
  static let courses: [(LampPattern, [(Int, LampLight)])] = [
    (.off, [(0, .off)]), (.dim, [(0, .dim)]), (.steady, [(0, .bright)]),
    (
      .inUse,
      [
        (0, .bright), (100, .dim), (200, .bright), (300, .dim), (1000, .bright), (1100, .dim),
        (1200, .bright), (1300, .dim),
      ]
    ),
    (
      .call,
      [
        (0, .bright), (250, .off), (500, .bright), (750, .off), (1000, .bright), (1250, .off),
        (1500, .bright), (1750, .off),
      ]
    ),
    (.away, [(0, .bright), (60, .off)]),
  ]

  @Test(arguments: courses)
  func `a pattern is a function of time`(pattern: LampPattern, course: [(Int, LampLight)]) {
    var seen: [(Int, LampLight)] = []
    for millisecond in 0..<2000 {
      let light = pattern.light(at: .milliseconds(millisecond)).light
      if seen.last?.1 != light { seen.append((millisecond, light)) }
    }
    #expect(seen.map(\.0) == course.map(\.0))
    #expect(seen.map(\.1) == course.map(\.1))
  }

  @Test(arguments: LampPattern.allCases)
  func `a pattern tells when it changes next`(pattern: LampPattern) throws {
    var time = Duration.seconds(1000)
    for _ in 0..<20 {
      let (light, until) = pattern.light(at: time)
      guard let until else { return #expect(pattern.light(at: time + .seconds(60)).light == light) }
      #expect(until > time)
      #expect(pattern.light(at: until - .nanoseconds(1)).light == light)
      time = until
    }
  }

  @Test func `a lamp is set when its light changes, and no more often`() {
    var settings = PanelSettings()
    settings.lamps = [LampSettings(key: "talk", place: .light("ACT"))]
    var panel = KeyPanel(settings)
    #expect(panel.turn(at: .seconds(4)) == [.light(lamp: 0, .bright)])
    #expect(panel.turn(at: .seconds(4)) == [])
    #expect(panel.deadline == .milliseconds(4060))
    panel.link(isUp: true, at: .zero)
    #expect(panel.turn(at: .milliseconds(4010)) == [.light(lamp: 0, .dim)])
    #expect(panel.deadline == nil)
    var tally = Tally()
    tally["talk"] = Self.talking
    panel.show(tally)
    #expect(panel.turn(at: .milliseconds(4020)) == [.light(lamp: 0, .bright)])
    tally = Tally()
    tally["other"] = Self.called
    panel.show(tally)
    #expect(panel.turn(at: .milliseconds(4030)) == [.light(lamp: 0, .dim)])
  }

  @Test func `a relay follows its cause and its key`() {
    var tally = Tally()
    var relay = RelaySettings(cause: .talk, line: LineSettings(name: "GPIO5", isActiveLow: false))
    #expect(!relay.isClosed(by: tally))
    (tally["stage"], tally["foh"]) = (Self.talking, Self.listening)
    #expect(tally["Stage"] == Self.talking)
    #expect(relay.isClosed(by: tally))
    relay.key = "foh"
    #expect(!relay.isClosed(by: tally))
    relay.key = "nobody"
    #expect(!relay.isClosed(by: tally))
    relay = RelaySettings(cause: .call, line: relay.line)
    #expect(!relay.isClosed(by: tally))
    tally["foh"] = Self.called
    #expect(relay.isClosed(by: tally))
    relay = RelaySettings(cause: .announcement, line: relay.line)
    #expect(!relay.isClosed(by: tally))
    tally.isAnnouncing = true
    #expect(relay.isClosed(by: tally))
  }

  @Test func `a relay stays closed for its hold, and opens at once without a station`() {
    var settings = PanelSettings()
    var relay = RelaySettings(cause: .talk, line: LineSettings(name: "GPIO5", isActiveLow: false))
    relay.hold = .milliseconds(500)
    settings.relays = [relay]
    var panel = KeyPanel(settings)
    var open = Tally()
    open["talk"] = Self.talking
    #expect(panel.turn(at: .zero) == [.relay(0, isClosed: false)])
    panel.link(isUp: true, at: .zero)
    panel.show(open)
    #expect(panel.turn(at: .seconds(1)) == [.relay(0, isClosed: true)])
    panel.show(Tally())
    #expect(panel.turn(at: .seconds(2)) == [])
    #expect(panel.deadline == .milliseconds(2500))
    // A word in between begins the time anew.
    panel.show(open)
    #expect(panel.turn(at: .milliseconds(2400)) == [])
    panel.show(Tally())
    #expect(panel.turn(at: .milliseconds(2450)) == [])
    #expect(panel.turn(at: .milliseconds(2949)) == [])
    #expect(panel.turn(at: .milliseconds(2950)) == [.relay(0, isClosed: false)])
    panel.show(open)
    #expect(panel.turn(at: .seconds(4)) == [.relay(0, isClosed: true)])
    panel.link(isUp: false, at: .zero)
    #expect(panel.turn(at: .seconds(4)) == [.relay(0, isClosed: false)])
  }
}

/// Small pieces.
@Suite struct PanelPartTests {
  static let patterns: [(String, String, Bool)] = [
    ("PCsensor FootSwitch", "PCsensor FootSwitch", true),
    ("PCsensor FootSwitch", "PCsensor FootSwitch Keyboard", false),
    ("PCsensor FootSwitch", "pcsensor footswitch", false),
    ("PCsensor*", "PCsensor FootSwitch Keyboard", true),
    ("*Keyboard", "PCsensor FootSwitch Keyboard", true),
    ("PC*Switch*board", "PCsensor FootSwitch Keyboard", true),
    ("PC*Switch*board", "PCsensor Keyboard FootSwitch", false),
    ("a*a", "a", false), ("a*a", "aa", true), ("a*b*a", "aba", true), ("a*bb*a", "aba", false),
    ("*", "anything", true), ("*", "", true), ("**", "x", true), ("", "", true), ("", "x", false),
    ("Knopf é*", "Knopf é 2", true),
  ]

  @Test(arguments: patterns)
  func `a star stands for any text`(pattern: String, name: String, matches: Bool) {
    #expect(NamePattern(pattern).matches(name) == matches)
  }

  @Test func `tries for the station get rarer`() {
    var pause = RetryPause()
    let pauses = (0..<9).map { _ in pause.afterFailure() / .milliseconds(1) }
    #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
  }
}
