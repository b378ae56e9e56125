import RTP
import Testing

@testable import Lines

@Suite struct EarSettingsTests {
  private let stage: LineName
  private var desk = LineDesk(instance: 1)

  init() throws {
    stage = try LineName("stage")
    try desk.makeLine(stage)
  }

  private static func near(_ one: Float, _ other: Double) -> Bool {
    abs(Double(one) - other) < 1e-4
  }

  /// Priorities (nil: the programme), and what is left of the first while one of the second is heard, usual dims.
  static let dims: [(Int?, Int, Double)] = [
    (nil, 0, 0.2512), (nil, 1, 0.2512), (nil, 3, 0.2512), (nil, 4, 0),
    (0, 0, 1), (0, 1, 0.2512), (0, 4, 0), (1, 0, 1), (1, 1, 1), (1, 2, 0.2512), (1, 3, 0.2512),
    (1, 4, 0), (3, 2, 1), (3, 4, 0), (4, 3, 1), (4, 4, 1),
  ]

  @Test(arguments: dims)
  func
    `a higher priority dims lower ones by 12 dB, the programme gives way to each, emergency mutes`(
      priority: Int?, heard: Int, left: Double
    )
  {
    #expect(Self.near(EarSettings().dim(of: priority, while: heard), left))
  }

  @Test mutating func `dims are as they are set: off, cut or so many decibels`() throws {
    try desk.setEar(["priority-dim": "off", "program-dim": "cut", "talk-dim": "-6"])
    let ear = desk.ear
    #expect(ear.dim(of: 1, while: 2) == 1 && ear.dim(of: 1, while: 4) == 0)
    #expect(ear.dim(of: nil, while: 1) == 0)
    #expect(Self.near(ear.talkDim(of: 1), 0.5012) && Self.near(ear.talkDim(of: nil), 0.5012))
    try desk.setEar(["program-dim-talking": "on"])
    #expect(Self.near(desk.ear.talkDim(of: 1), 0.5012) && desk.ear.talkDim(of: nil) == 0)
  }

  @Test mutating func `nobody turns himself unreachable`() throws {
    #expect(throws: LineError.self) { try desk.setEar(["volume": "-22"]) }
    try desk.setEar(["volume": "-21"])
    // The line's own level is no way out where it is paged.
    #expect(Self.near(desk.ear.leastGain(of: 3) * desk.ear.volume, 0.0891))
    #expect(desk.ear.leastGain(of: 1) == 0)
    try desk.setEar(["floor": "-6"])
    #expect(Self.near(desk.ear.volume, 0.5012))
    try desk.setEar(["floor": "off", "volume": "-40"])
    #expect(Self.near(desk.ear.volume, 0.01) && desk.ear.leastGain(of: 4) == 0)
  }

  static let mistakes: [([String: String], String)] = [
    (["volume": "13"], "volume must be from -40 to 12, not \"13\""),
    (["volume": "nan"], "volume must be from -40 to 12, not \"nan\""),
    (["volume": "off"], "volume must be from -40 to 12, not \"off\""),
    (["ceiling": "1"], "ceiling must be from -24 to 0, not \"1\""),
    (["talk-dim": "loud"], "talk-dim must be from -60 to 0 or cut or off, not \"loud\""),
    (["sidetone-tracking": "1"], "sidetone-tracking must be on or off, not \"1\""),
    (["call-tone": "6"], "call-tone must be from -40 to 0 or off, not \"6\""),
    (["aloud-priority": "5"], "aloud-priority must be from 0 to 4, not \"5\""),
    (["aloud-priority": "1.5"], "aloud-priority must be a whole number, not \"1.5\""),
    (["level": "on"], "level must be auto or off, not \"on\""),
    (["places": "on"], "places must be spread or off, not \"on\""),
    (
      ["dim": "1", "volume": "0"],
      "nothing of the ear is called \"dim\"; use one of floor, volume, ceiling, priority-dim, program-dim, "
        + "program-dim-talking, talk-dim, sidetone-tracking, level, places, call-tone, caller-latch, "
        + "aloud-priority"
    ),
  ]

  @Test(arguments: mistakes)
  mutating func `what will not do is told, and changes nothing`(
    changes: [String: String], words: String
  ) throws {
    var changes = changes
    changes["priority-dim"] = "-20"
    do throws(LineError) {
      try desk.setEar(changes)
      Issue.record("taken")
    } catch {
      #expect("\(error)" == words)
    }
    #expect(desk.ear == EarSettings())
  }

  @Test mutating func `a line's priority goes to the media path with the numbers of each member`()
    throws
  {
    #expect(throws: LineError.badPriority(5)) { try desk.setPriority(5, of: stage) }
    #expect(throws: LineError.badPriority(-1)) { try desk.setPriority(-1, of: stage) }
    #expect(throws: LineError.self) { try desk.setPriority(1, of: try LineName("video")) }
    try desk.setPriority(4, of: stage)
    try desk.setPriority(0, of: .all)
    #expect(desk.routing.others.priorities[0] == 0)
    #expect(desk.lines.map(\.priority) == [0, 4])
    try desk.leaveLine(stage)
    try desk.makeLine(stage)
    #expect(desk.lines.map(\.priority) == [0, 1])
  }

  @Test mutating func `all of it is kept, and what is damaged or out of range is not taken`() throws
  {
    #expect(desk.ear.callToneDecibels == -12)
    try desk.setEar(["volume": "-6.5", "floor": "off", "program-dim": "cut", "call-tone": "off"])
    #expect(desk.ear.callToneDecibels == nil)
    try desk.setPriority(3, of: stage)
    let octets = desk.settings.octets
    let kept = try #require(LineSettings(octets))
    #expect(kept == desk.settings)
    #expect(LineDesk(instance: 2, settings: kept).ear == desk.ear)
    for end in 1..<octets.count { _ = LineSettings(Array(octets[..<end])) }
    let bare = LineDesk(instance: 1).settings.octets.count
    #expect(LineSettings(Array(octets[..<(octets.count - 1)])) == nil)
    #expect(LineSettings(LineDesk(instance: 1).settings.octets)?.ear == EarSettings())
    var forged = octets
    forged[octets.count - 1] = 5
    #expect(LineSettings(forged) == nil)
    #expect(bare < octets.count)
  }

  @Test mutating func `a file comes first, and what it has not stays`() throws {
    try desk.setEar(["volume": "-6", "talk-dim": "-12"])
    try desk.setPriority(2, of: stage)
    var file = LineSettings()
    file.ear = try EarSettings(["volume": "3"], priorities: [.all: 0])
    let both = desk.settings.taking(file).ear
    #expect(both.text(of: .volume) == "3" && both.text(of: .talkDim) == "-12")
    #expect(both.priority(of: stage) == 2 && both.priority(of: .all) == 0)
  }

  @Test mutating func `a file undoes what it says is as usual, and what it does not say stays`()
    throws
  {
    let video = try LineName("video")
    try desk.makeLine(video)
    for line in [stage, video] {
      try desk.setPort(true, of: line)
      try desk.setPan(-0.5, of: line)
      try desk.setPriority(3, of: line)
    }
    let kept = try #require(LineSettings(desk.settings.octets))
    func taking(_ ear: EarSettings) -> EarSettings {
      var file = LineSettings()
      file.ear = ear
      return LineDesk(instance: 2, settings: kept.taking(file)).ear
    }
    var ear = taking(try EarSettings([:], priorities: [:], ports: [stage: false]))
    #expect(!ear.hasPort(stage) && ear.hasPort(video))
    #expect(ear.pan(of: stage) == -0.5 && ear.priority(of: stage) == 3)
    ear = taking(try EarSettings([:], priorities: [stage: 1], pans: [stage: 0]))
    #expect(ear.hasPort(stage) && ear.pan(of: stage) == 0 && ear.priority(of: stage) == 1)
    #expect(ear.hasPort(video) && ear.pan(of: video) == -0.5 && ear.priority(of: video) == 3)
    ear = taking(try EarSettings([:], priorities: [:], ports: [stage: true]))
    #expect(ear.hasPort(stage) && ear.hasPort(video))
    #expect(ear.said == EarSettings.SaidOfLines())
  }
}

/// Ready-made keys.
@Suite struct KeyPresetTests {
  private var desk = LineDesk(instance: 1, isTalking: false)

  private mutating func join(_ names: String...) throws {
    for name in names { try desk.makeLine(try LineName(name)) }
  }

  private var keys: [String: [String]] {
    desk.keys.reduce(into: [:]) { $0[$1.key.name.text] = $1.key.targets.compactMap(\.line?.text) }
  }

  @Test mutating func `a button is one key for all lines`() throws {
    try join("stage", "video")
    _ = try desk.set(.button, for: [])
    #expect(keys["talk"] == ["all", "stage", "video"])
    try desk.press(try KeyName("talk"), nowNanoseconds: 0)
    #expect(desk.lines.allSatisfy { $0.isTalking })
  }

  @Test mutating func `a beltpack has four keys, a line each, in the order of the lines named`()
    throws
  {
    try join("stage", "video", "foh", "lights", "sound")
    let lines = try ["sound", "stage", "video"].map { try LineName($0) }
    _ = try desk.set(.beltpack, for: lines)
    #expect(keys["A"] == ["sound"] && keys["B"] == ["stage"] && keys["C"] == ["video"])
    #expect(keys["D"] == nil)
    // Lines without a key of the set keep their own.
    #expect(keys["foh"] == ["foh"] && keys["stage"] == nil)
    let view = try #require(desk.keys.first { $0.key.name.text == "A" })
    #expect(view.key.activation == .talkForceListen && view.key.latchMilliseconds == 200)
  }

  @Test mutating func `without lines they are for those that the node is on, all first`() throws {
    try join("stage", "video", "foh", "lights")
    _ = try desk.set(.beltpack, for: [])
    #expect(keys["A"] == ["all"] && keys["D"] == ["foh"])
  }

  @Test mutating func `another set of lines leaves no key of the former`() throws {
    try join("stage", "video")
    _ = try desk.set(.panel, for: [])
    #expect(keys["1"] == ["all"] && keys["2"] == ["stage"] && keys["3"] == ["video"])
    _ = try desk.set(.panel, for: [try LineName("video")])
    #expect(keys["1"] == ["video"] && keys["2"] == nil && keys["3"] == nil)
  }

  @Test mutating func `too many lines, or one that the node is not on, change nothing`() throws {
    try join("1st", "2nd", "3rd", "4th", "5th")
    let before = desk.settings
    let lines = desk.lines.map(\.name)
    #expect(throws: LineError.tooFewKeys(.beltpack)) { try desk.set(.beltpack, for: lines) }
    #expect(throws: LineError.self) { try desk.set(.button, for: [try LineName("6th")]) }
    #expect(desk.settings == before)
  }
}
