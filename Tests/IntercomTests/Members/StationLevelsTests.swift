import EventLoop
import Habits
import Lines
import Testing

@testable import Intercom

/// What gives way to what in an ear, with lines and keys in virtual time.
@Suite struct StationLevelsTests {
  private static let video = StationLinesTests.name("video")
  private static let alarm = StationLinesTests.name("alarm")

  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var anna: VirtualNode { nodes[0] }

  /// Anna listens to Bert on line video and to Carl on line alarm.
  init() throws {
    nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for (index, node) in nodes.enumerated() {
      var tone = Tone(hertz: 440 + 260 * Double(index))
      tone.amplitude = 0.2
      node.mic = tone.sample
      network.add(node)
    }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    for node in 0..<3 { try rig.change(node) { try $0.setTalk(false) } }
    try rig.change(0) {
      try $0.makeLine(Self.video)
      try $0.makeLine(Self.alarm)
    }
    try rig.change(1) { try $0.joinLine(Self.video) }
    try rig.change(2) { try $0.joinLine(Self.alarm) }
    network.run(seconds: 3)
  }

  /// How loud a node is in Anna's ear in the last half second, 1 where nothing is changed.
  private func loudness(of index: Int) -> Double {
    let tone = Tone(hertz: 440 + 260 * Double(index))
    return tone.level(in: anna.heard.suffix(24_000)) / 0.12 * 2.0.squareRoot()
  }

  private func talk(_ index: Int, _ line: LineName, _ isOn: Bool) throws {
    try rig.change(index) {
      if isOn {
        try $0.press(line, nowNanoseconds: 0)
      } else {
        try $0.release(line, nowNanoseconds: 3_600_000_000_000)
      }
    }
  }

  /// The priority of the alarm's line, and how loud Bert is then while Carl talks there.
  @Test(arguments: [(1, 1), (2, 0.2512), (4, 0)] as [(Int, Double)])
  func
    `a line of a higher priority dims or mutes the others while somebody talks there, and no longer`(
      priority: Int, left: Double
    ) throws
  {
    try rig.change(0) { try $0.setPriority(priority, of: Self.alarm) }
    try talk(1, Self.video, true)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 1) < 0.15)
    try talk(2, Self.alarm, true)
    network.run(seconds: 1)
    #expect(abs(loudness(of: 1) - left) < 0.15 * max(left, 0.4))
    #expect(abs(loudness(of: 2) - 1) < 0.15)
    try talk(2, Self.alarm, false)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 1) < 0.15)
  }

  /// The priority of the line that Bert talks on, and how loud he and Carl are while Carl announces something.
  @Test(arguments: [(1, 0.2512, 1), (2, 0.2512, 1), (3, 1, 1), (4, 1, 0)])
  func `an announcement is a page: it dims what is below it, and only an emergency is above it`(
    priority: Int, bert: Double, carl: Double
  ) throws {
    let page = StationLinesTests.name("page")
    try rig.change(0) { try $0.setPriority(priority, of: Self.video) }
    try rig.change(2) { try $0.setKey(try Key(page, targets: [.announcement])) }
    try talk(1, Self.video, true)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 1) < 0.15)
    try talk(2, page, true)
    network.run(seconds: 1)
    #expect(abs(loudness(of: 1) - bert) < 0.15 * max(bert, 0.4))
    #expect(abs(loudness(of: 2) - carl) < 0.15)
    try talk(2, page, false)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 1) < 0.15 && loudness(of: 2) < 0.01)
  }

  @Test func `an announcement is heard by who listens to nothing, at the floor at least`() throws {
    let page = StationLinesTests.name("page")
    try rig.change(0) {
      try $0.setEar(["floor": "-12"])
      for line in [Self.video, Self.alarm, .all] { try $0.setListening(false, to: line) }
    }
    try anna.station.roster.change("Carl") { $0.gainDecibels = -60 }
    try rig.change(2) { try $0.setKey(try Key(page, targets: [.announcement])) }
    try talk(2, page, true)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 2) - 0.2512) < 0.05)
  }

  @Test func `while Anna talks her loudspeaker is dimmed as she set it`() throws {
    try rig.change(0) { try $0.setEar(["talk-dim": "-12", "volume": "-6"]) }
    try talk(1, Self.video, true)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 0.5012) < 0.08)
    try talk(0, Self.video, true)
    network.run(seconds: 1)
    #expect(abs(loudness(of: 1) - 0.1259) < 0.03)
    try talk(0, Self.video, false)
    network.run(seconds: 2)
    #expect(abs(loudness(of: 1) - 0.5012) < 0.08)
  }

  @Test func `a line that is paged is heard at the floor, however low it was turned`() throws {
    try rig.change(0) {
      try $0.setEar(["floor": "-12"])
      try $0.setLevel(-40, of: Self.alarm)
    }
    try talk(2, Self.alarm, true)
    network.run(seconds: 2)
    #expect(loudness(of: 2) < 0.03)
    try rig.change(0) { try $0.setPriority(3, of: Self.alarm) }
    network.run(seconds: 1)
    #expect(abs(loudness(of: 2) - 0.2512) < 0.05)
    try rig.change(0) { try $0.setListening(false, to: Self.alarm) }
    network.run(seconds: 1)
    #expect(loudness(of: 2) < 0.01)
  }
}
