import Foundation
import Keys
import Testing

@testable import comlink_keys

/// `keys.toml`: what it may say, and what is said of its mistakes.
@Suite struct KeysFileTests {
  private static func settings(_ text: String) throws -> PanelSettings {
    try KeysFile(text: text, path: "/k.toml").settings
  }

  @Test func `a button, a foot switch, lamps and a relay`() throws {
    let settings = try Self.settings(
      """
      bounce = 7.5
      [[button]]
      key = "talk"
      gpio = "GPIO17"
      [[button]]
      key = "stage"
      gpio = 3
      chip = "expander"
      pull = "down"
      [[button]]
      key = "talk"
      device = "PCsensor*"
      code = "KEY_B"
      grab = false
      [[lamp]]
      key = "talk"
      led = "ACT"
      [[lamp]]
      key = "talk"
      gpio = "GPIO27"
      active = "low"
      shows = "call"
      [[relay]]
      follows = "talk"
      key = "stage"
      gpio = "GPIO22"
      hold = 1.5
      """)
    #expect(settings.bounce == .microseconds(7500))
    var expander = LineSettings(offset: 3, chip: "expander", isActiveLow: false)
    expander.pull = .down
    var pedal = InputSettings(device: "PCsensor*", code: 48)
    pedal.isGrabbed = false
    #expect(
      settings.buttons == [
        ButtonSettings(
          key: "talk", contact: .line(LineSettings(name: "GPIO17", isActiveLow: true))),
        ButtonSettings(key: "stage", contact: .line(expander)),
        ButtonSettings(key: "talk", contact: .input(pedal)),
      ])
    var lamp = LampSettings(
      key: "talk", place: .line(LineSettings(name: "GPIO27", isActiveLow: true)))
    lamp.shown = .call
    #expect(settings.lamps == [LampSettings(key: "talk", place: .light("ACT")), lamp])
    var relay = RelaySettings(
      cause: .talk, line: LineSettings(name: "GPIO22", isActiveLow: false))
    (relay.key, relay.hold) = ("stage", .milliseconds(1500))
    #expect(settings.relays == [relay])
  }

  private static func button(_ lines: String...) -> String {
    (["", "[[button]]", "key = \"talk\""] + lines).joined(separator: "\n")
  }

  static let mistakes: [(text: String, line: Int?, words: String)] = [
    ("bounce = \"x\"", nil, "0 to 200"), ("bounce = 201", nil, "0 to 200"),
    ("bounce = -1", nil, "0 to 200"), ("bounce = nan", nil, "0 to 200"),
    ("[button", 1, "not TOML"), ("buttons = 1", nil, "unknown key \"buttons\""),
    ("[button]\nkey = \"talk\"", nil, "write [[button]] above each"),
    ("button = [1]", nil, "write [[button]] above each"),
    (button(), 2, "give gpio, or device and code"),
    (button("gpio = \"GPIO1\"", "device = \"x\""), 2, "give gpio, or device and code"),
    (button("gpio = \"GPIO1\"", "code = \"KEY_B\""), 2, "code goes with device"),
    (button("device = \"x\"", "code = \"KEY_B\"", "pull = \"up\""), 2, "pull goes with gpio"),
    (button("device = \"x\""), 2, "code is missing"),
    (button("device = \"x\"", "code = \"B\""), 2, "the name of a key, such as KEY_B"),
    (button("device = \"x\"", "code = \"768\""), 2, "the name of a key, such as KEY_B"),
    (button("device = \"x\"", "code = 3"), 2, "the name of a key, such as KEY_B"),
    (button("device = \"\"", "code = \"KEY_B\""), 2, "device must be a text of 1 to 255"),
    (button("device = \"a\\nb\"", "code = \"KEY_B\""), 2, "on one line"),
    (button("device = \"x\"", "code = \"KEY_B\"", "grab = 1"), 2, "true or false"),
    (button("gpio = 17"), 2, "which needs chip"), (button("gpio = -1"), 2, "which needs chip"),
    (button("gpio = 4294967296", "chip = \"x\""), 2, "which needs chip"),
    (button("gpio = true"), 2, "gpio must be a text"),
    (button("gpio = \"G\"", "pull = \"sideways\""), 2, "\"up\" or \"down\" or \"none\""),
    (button("gpio = \"G\"", "active = true"), 2, "\"low\" or \"high\""),
    (button("gpio = \"G\"", "colour = 1"), 2, "unknown key \"colour\"; a button has key, gpio"),
    ("[[button]]\ngpio = \"G\"", 1, "key is missing"),
    ("[[button]]\nkey = 7\ngpio = \"G\"", 1, "key must be a text"),
    ("[[lamp]]\nkey = \"talk\"", 1, "give gpio or led"),
    ("[[lamp]]\nkey = \"talk\"\nled = \"A\"\nactive = \"low\"", 1, "active goes with gpio"),
    ("[[lamp]]\nkey = \"talk\"\nled = \"A\"\nshows = \"love\"", 1, "\"all\" or \"talk\""),
    ("[[relay]]\ngpio = \"G\"", 1, "follows is missing"),
    ("[[relay]]\nfollows = \"talk\"", 1, "gpio is missing"),
    ("[[relay]]\nfollows = \"talk\"\ngpio = \"G\"\nhold = 61", 1, "0 to 60"),
    ("[[relay]]\nfollows = \"announcement\"\nkey = \"x\"\ngpio = \"G\"", 1, "remove key"),
    (
      button("gpio = \"G\"") + "\n[[lamp]]\nkey = \"talk\"\ngpio = \"G\"", 5,
      "G is button 1 and lamp 1: a line can be one thing only"
    ),
    (
      String(repeating: "[[button]]\nkey = \"a\"\ngpio = \"G\"\n", count: 65), 193,
      "at most 64 of [[button]]"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told with its place`(text: String, line: Int?, words: String) throws {
    let error = try #require(throws: KeysFileError.self) { try Self.settings(text) }
    #expect(error.words.contains(words), "\(error)")
    #expect(error.line == line, "\(error)")
  }

  @Test func `an error begins with its file and line`() {
    let error = KeysFileError(path: "/k.toml", line: 7, words: "no")
    #expect("\(error)" == "/k.toml:7: no")
  }

  /// `/etc/comlink/keys.toml`, as the package brings it.
  @Test func `the packaged file says nothing, and its examples are right`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../packaging/keys.toml").standardized
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(try Self.settings(text).isEmpty)
    let lines = text.split(separator: "\n").map {
      $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0
    }
    let examples = try Self.settings(lines.joined(separator: "\n"))
    #expect(examples.buttons.count == 2)
    #expect(examples.lamps.count == 2)
    #expect(examples.relays.count == 1)
    #expect(examples.bounce == PanelSettings.usualBounce)
    #expect(examples.relays.first?.hold == .zero)
    #expect(examples.lamps.allSatisfy { $0.shown == .all })
  }
}
