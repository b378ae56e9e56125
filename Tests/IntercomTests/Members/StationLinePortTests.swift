import Audio
import EventLoop
import Habits
import Lines
import TestKit
import Testing

@testable import Intercom

/// What the JACK outputs of lines have; Bert has one for each of two lines that he and Anna are on, and one for `all`.
@Suite struct StationLinePortTests {
  private static let stage = StationLinesTests.name("stage")
  private static let video = StationLinesTests.name("video")
  private static let amplitude = 0.1
  /// Of a tone whose swell is 0.6 with 0.4 of a sine.
  private static let saidRMS = amplitude * (0.36 + 0.16 / 2).squareRoot() / 2.0.squareRoot()

  private let network = VirtualNetwork()
  private let anna: VirtualNode
  private let bert: VirtualNode
  private let rig: LineRig

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    bert = try VirtualNode(
      "Bert", at: .host(2), beat: VirtualNode.Beat(),
      adjust: { $0.buses = [BusSettings(name: "foh")] })
    var tone = Tone(hertz: 440)
    tone.amplitude = Self.amplitude
    anna.mic = tone.sample
    network.add(anna)
    network.add(bert)
    rig = LineRig([anna, bert], network)
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    for line in [Self.stage, Self.video] {
      try rig.change(0) { try $0.makeLine(line) }
      try rig.change(1) { try $0.joinLine(line) }
    }
    for line in [LineName.all, Self.stage, Self.video] {
      try rig.change(1) { try $0.setPort(true, of: line) }
    }
    for node in 0..<2 { try rig.change(node) { try $0.setTalk(false) } }
    network.run(seconds: 3)
  }

  /// How loud each line is at its port, as a factor of what Anna says: 1 or 0.
  private func levels() -> [LineName: Double] {
    var levels: [LineName: Double] = [:]
    for (place, line) in rig.desks[1].places {
      guard let level = bert.station.buses.level(ofLineAt: place) else { continue }
      levels[line] = Double(level.rms) / Self.saidRMS
    }
    return levels
  }

  /// By a meter of 300 ms, in which a tone that swells three times a second moves by some tenths.
  private func isHeard(on lines: Set<LineName>) -> Bool {
    levels().allSatisfy { line, level in
      lines.contains(line) ? (0.8...1.2).contains(level) : level < 0.01
    }
  }

  @Test func `a port has what is talked on its line, and nothing else`() throws {
    #expect(LineLimits.ports == MixBus.patched.count)
    #expect(bert.ports.busNames.values.sorted() == ["line_all", "line_stage", "line_video"])
    #expect(levels().count == 3 && isHeard(on: []))
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 2)
    #expect(isHeard(on: [Self.stage]), "\(levels())")
    // As it came: what the ear has is its own affair.
    try rig.change(1) { try $0.setLevel(-20, of: Self.stage) }
    try bert.station.roster.change("Anna") { $0.isMuted = true }
    network.run(seconds: 2)
    #expect(isHeard(on: [Self.stage]), "\(levels())")
    try rig.change(0) { try $0.press(Self.video, nowNanoseconds: 1) }
    network.run(seconds: 2)
    #expect(isHeard(on: [Self.stage, Self.video]), "\(levels())")
    try rig.change(0) { try $0.release(Self.stage, nowNanoseconds: 3_000_000_000) }
    network.run(seconds: 3)
    #expect(isHeard(on: [Self.video]), "\(levels())")
    try rig.change(0) { try $0.release(Self.video, nowNanoseconds: 6_000_000_000) }
    try rig.change(0) { try $0.setTalk(true) }
    network.run(seconds: 3)
    #expect(isHeard(on: [.all]), "\(levels())")
  }

  @Test func `a line that is not listened to is silent at its port`() throws {
    try rig.change(1) { try $0.setListening(false, to: Self.stage) }
    for line in [Self.stage, Self.video] {
      try rig.change(0) { try $0.press(line, nowNanoseconds: 0) }
    }
    network.run(seconds: 3)
    #expect(isHeard(on: [Self.video]), "\(levels())")
  }

  @Test func `a port that is taken away is there again when it is wanted, for another line too`()
    throws
  {
    try rig.change(1) { try $0.setPort(false, of: Self.stage) }
    #expect(bert.ports.busNames.values.sorted() == ["line_all", "line_video"])
    #expect(levels()[Self.stage] == nil)
    network.run(seconds: 1)
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 2)
    #expect(isHeard(on: []), "\(levels())")
    try rig.change(1) { try $0.setPort(true, of: Self.stage) }
    network.run(seconds: 3)
    #expect(isHeard(on: [Self.stage]) && levels().count == 3, "\(levels())")
    // On at once where its bus still fades out.
    try rig.change(1) { try $0.setPort(false, of: Self.stage) }
    try rig.change(1) { try $0.setPort(true, of: Self.stage) }
    network.run(seconds: 3)
    #expect(isHeard(on: [Self.stage]) && levels().count == 3, "\(levels())")
  }

  @Test func `a private line has a port, too, and its talk is on no other`() throws {
    let board = StationLinesTests.name("board")
    try rig.change(1) { desk in
      var random = SplitMix64(seed: 5)
      try desk.makePrivateLine(board, PrivateLineID(using: &random))
      try desk.setMember(anna.node, isOn: true, ofPrivateLine: board)
      try desk.setPort(true, of: board)
    }
    try rig.change(0) { try $0.join(board, isPrivate: false) }
    for _ in 0..<3 { try rig.change(0) { _ in } }
    network.run(seconds: 2)
    try rig.change(0) { try $0.press(board, nowNanoseconds: 0) }
    network.run(seconds: 3)
    #expect(isHeard(on: [board]) && levels().count == 4, "\(levels())")
    let foh = bert.station.buses.level(of: 0).rms
    #expect(foh < 0.001, "buses of members have nothing of private lines")
  }
}
