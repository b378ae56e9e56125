import Lines
import Testing

@testable import NodeDaemon

@Suite struct LineTablesTests {
  private static let text = """
    ptime = 5

    [[line]]
    name = "Bühne"
    level = -3
    display = "BHN"
    messages = 90

    [[line]]
    name = "video"
    messages = "none"
    listen = false
    port = true
    priority = 3

    [ear]
    volume = -6
    program-dim = "cut"
    talk-dim = -12.5
    sidetone-tracking = false
    call-tone = -20

    [[key]]
    name = "video"

    [[key]]
    name = "show"
    lines = ["Bühne", "video"]
    activation = "dual"
    latch = 0
    interlock = 2
    auto-mute = true
    voice = "off"
    midi = "Note 60  channel 2"
    """

  @Test func `lines and keys of a file hold, and come back from what is printed`() throws {
    let effective = try TestSurroundings.load(Self.text)
    let lines = effective.configuration.lines
    #expect(lines.lines.map(\.name.text) == ["Bühne", "video"])
    #expect(lines.lines.map(\.levelDecibels) == [-3, 0])
    #expect(lines.lines.map(\.isListening) == [true, false])
    #expect(lines.ear.priority(of: lines.lines[0].name) == 1)
    #expect(lines.ear.priority(of: lines.lines[1].name) == 3)
    #expect(lines.lines.map { lines.ear.hasPort($0.name) } == [false, true])
    #expect(lines.ear.said.ports == [lines.lines[1].name])
    #expect(lines.ear.text(of: .volume) == "-6" && lines.ear.text(of: .programDim) == "cut")
    #expect(lines.ear.text(of: .talkDim) == "-12.5" && !lines.ear.isSidetoneTracking)
    #expect(lines.ear.callToneDecibels == -20 && lines.ear.letsCallersLatch)
    #expect(lines.displays == [lines.lines[0].name: try Label("BHN")])
    let days = effective.configuration.lineMessages
    #expect(lines.lines.map { days[$0.name]?.days } == [90, 0])
    for text in ["0", "-1", "3651", "", "never", "1.5"] { #expect(LineMessageDays(text) == nil) }
    #expect(LineMessageDays("default")?.days == nil && LineMessageDays("none")?.days == 0)
    let keys = lines.keys
    #expect(keys.map(\.name.text) == ["video", "show"])
    #expect(keys[0].targets.compactMap(\.line?.text) == ["video"])
    #expect(keys[0].activation == .talkForceListen)
    #expect(keys[0].latchMilliseconds == 200 && keys[0].interlock == nil)
    #expect(keys[1].targets.compactMap(\.line?.text) == ["Bühne", "video"])
    #expect(keys[1].activation == .dual)
    #expect(keys[1].latchMilliseconds == 0 && keys[1].interlock == 2 && keys[1].mutesWhileTalking)
    #expect(keys[1].sendsUntreated && !keys[0].sendsUntreated)
    #expect(keys[0].midi == nil && keys[1].midi.map { "\($0)" } == "note 60 channel 2")
    let printed = ConfigurationText.text(effective, version: "test")
    #expect(try TestSurroundings.load(printed).configuration == effective.configuration)
  }

  @Test func `a port, a place and a priority of a file hold also where they are the usual ones`()
    throws
  {
    let effective = try TestSurroundings.load(
      """
      [[line]]
      name = "a"
      port = false
      pan = 0
      priority = 1
      [[line]]
      name = "b"
      """)
    let settings = effective.configuration.lines
    let (a, said) = (settings.lines[0].name, settings.ear.said)
    #expect(said.ports == [a] && said.pans == [a] && said.priorities == [a])
    let printed = ConfigurationText.text(effective, version: "test")
    #expect(try TestSurroundings.load(printed).configuration == effective.configuration)
  }

  static let mistakes: [(text: String, words: String)] = [
    (
      "[[key]]\nname = \"a\"\nmidi = \"note 128\"",
      "/c.toml:1: key 1: \"note 128\" is no MIDI control; write note 60, cc 64 or note 60 channel 1, "
        + "with numbers from 0 to 127 and channels from 1 to 16"
    ),
    ("[[line]]\nname = \"a\"\nport = 1", "/c.toml:1: line 1: port must be true or false"),
    ("a = 1\n[line]\nname = \"a\"", "/c.toml:2: \"line\" must be tables, each headed [[line]]"),
    ("[[line]]\nlevel = 1", "/c.toml:1: line 1: name is missing"),
    ("[[line]]\nname = 3", "/c.toml:1: line 1: name must be text in quotes"),
    ("[[line]]\nname = \"\"", "/c.toml:1: line 1: \"\" is no name for a line or a key"),
    (
      "[[line]]\nname = \"a\"\nlevle = 1",
      "/c.toml:1: line 1: unknown field \"levle\"; did you mean \"level\"?"
    ),
    (
      "[[line]]\nname = \"a\"\nlevel = 13", "/c.toml:1: line 1: the level must be from -40 to 12 dB"
    ),
    ("[[line]]\nname = \"a\"\n[[line]]\nname = \"A\"", "/c.toml:1: line A is there twice"),
    ("[[line]]\nname = \"a\"\npriority = 5", "/c.toml:1: the priority must be from 0"),
    (
      "[[line]]\nname = \"a\"\nmessages = 0",
      "/c.toml:1: line 1: messages of a line are kept \"none\", \"default\" or from 1 to 3650 days"
    ),
    ("a = 1\n[ear]\nvolume = 13", "/c.toml:2: volume must be from -40 to 12, not \"13\""),
    ("[ear]\nloud = 1", "/c.toml:1: nothing of the ear is called \"loud\"; use one of floor,"),
    ("[ear]\nvolume = [1]", "/c.toml:1: volume must be a number or a word"),
    ("[[ear]]\nvolume = 1", "/c.toml:1: \"ear\" must be a table: [ear]"),
    ("[[key]]\nname = \"a\"\nlatch = 1001", "/c.toml:1: key 1: the latch time must be from 0"),
    ("[[key]]\nname = \"a\"\nlatch = true", "/c.toml:1: key 1: latch must be a whole number"),
    ("[[key]]\nname = \"a\"\nlines = []", "/c.toml:1: key 1: key a has no target"),
    ("[[key]]\nname = \"a\"\nlines = [1]", "/c.toml:1: key 1: lines must be a list of texts"),
    (
      "[[key]]\nname = \"a\"\nactivation = \"shout\"",
      "/c.toml:1: key 1: \"shout\" is no activation"
    ),
    ("[[key]]\nname = \"a\"\n[[key]]\nname = \"a\"", "/c.toml:1: key a is there twice"),
    (
      (0...24).map { "[[line]]\nname = \"line \($0)\"\n" }.joined(),
      "/c.toml:1: a node can be on 24 lines"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told with its place and what to do`(text: String, words: String) {
    let complaint = TestSurroundings.complaint(text)
    #expect(complaint?.hasPrefix(words) == true, "\(complaint ?? "none")")
  }
}
