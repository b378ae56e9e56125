import Cryptography
import EventLoop
import Lines
import Media
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// Nodes with lines and keys in virtual time, whose words about lines arrive at once: what is sent, and what is heard.
@Suite struct StationLinesTests {
  private static let stage = Self.name("stage")
  private static let video = Self.name("video")

  private let network = VirtualNetwork()
  private let nodes: [VirtualNode]
  private let rig: LineRig
  private var anna: VirtualNode { nodes[0] }
  private var bert: VirtualNode { nodes[1] }
  private var carl: VirtualNode { nodes[2] }

  init() throws {
    nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for (index, node) in nodes.enumerated() {
      var tone = Tone(hertz: 440 + 260 * Double(index))
      tone.amplitude = 0.1
      node.mic = tone.sample
      network.add(node)
    }
    rig = LineRig(nodes, network)
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
  }

  static func name(_ text: String) -> LineName {
    guard let name = try? LineName(text) else { preconditionFailure("a good name: \(text)") }
    return name
  }

  /// All fall silent on `all`; Anna and Bert are on line stage, Anna and Carl on line video.
  private func begin() throws {
    for node in 0..<3 { try rig.change(node) { try $0.setTalk(false) } }
    try rig.change(0) { try $0.makeLine(Self.stage) }
    try rig.change(0) { try $0.makeLine(Self.video) }
    try rig.change(1) { try $0.joinLine(Self.stage) }
    try rig.change(2) { try $0.joinLine(Self.video) }
    network.run(seconds: 3)
  }

  private func stream(_ listener: VirtualNode, of talker: VirtualNode) throws -> HeardStream {
    try #require(listener.station.roster.sessions[talker.node]?.streams.first)
  }

  /// How loud Anna's tone is in an ear in the last third of a second, 1 where nothing is changed.
  private func loudness(_ node: VirtualNode) -> Double {
    Tone(hertz: 440).swellLevel(in: node.heard) / 0.06
  }

  @Test func `packets go to whom a line is for, others get a notice now and then`() throws {
    try begin()
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 2)
    #expect(loudness(bert) > 0.5 && loudness(carl) < 0.01)
    let since = network.now - 1_000_000_000
    #expect(network.media(to: .host(2), since: since).count(where: { $0.source == .host(1) }) >= 99)
    let others = network.media(to: .host(3), since: since).filter { $0.source == .host(1) }
    #expect((2...3).contains(others.count))
    #expect(others.allSatisfy { $0.bytes.count < 70 }, "no sound in them")
    #expect(try !stream(carl, of: anna).stream.isSounding)

    // Both lines at once, then the other alone.
    try rig.change(0) { try $0.press(Self.video, nowNanoseconds: 1) }
    network.run(seconds: 1)
    #expect(loudness(bert) > 0.5 && loudness(carl) > 0.5)
    try rig.change(0) { try $0.release(Self.stage, nowNanoseconds: 3_000_000_000) }
    network.run(seconds: 1)
    #expect(loudness(bert) < 0.01 && loudness(carl) > 0.5)
    try rig.change(0) { try $0.setTalk(true) }
    network.run(seconds: 1)
    #expect(loudness(bert) > 0.5 && loudness(carl) > 0.5)
  }

  @Test func `keys that change all the time lose nothing that is for a listener`() throws {
    try begin()
    var random = SplitMix64(seed: 7)
    for step in 0..<120 {
      let line = Bool.random(using: &random) ? Self.stage : Self.video
      try rig.change(0) { desk in
        if Bool.random(using: &random) {
          try desk.press(line, nowNanoseconds: Int64(step) * 1_000_000_000)
        } else {
          try desk.release(line, nowNanoseconds: Int64(step) * 1_000_000_000 + 300_000_000)
        }
      }
      network.run(seconds: Double.random(in: 0.02...0.3, using: &random))
    }
    for key in [Self.stage, Self.video] {
      try rig.change(0) { try $0.release(key, nowNanoseconds: 1 << 50) }
    }
    network.run(seconds: 2)
    for node in [bert, carl] {
      let statistics = try stream(node, of: anna).stream.statistics
      #expect(statistics.lost == 0 && statistics.late == 0 && statistics.restarts == 0)
      #expect(statistics.concealedFrames == 0 && statistics.discarded.total == 0)
      #expect(statistics.starts > 5)
      let reports = try #require(anna.station.roster.sessions[node.node]?.active).reports
      #expect(reports.remoteReception?.cumulativeLost == 0)
    }
    #expect(nodes.allSatisfy { $0.station.drops.byReason.values.allSatisfy { $0 == 0 } })
  }

  @Test func `a line is heard at its level, and not at all when it is not listened to`() throws {
    try begin()
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 1)
    let whole = loudness(bert)
    try rig.change(1) { try $0.setLevel(-20, of: Self.stage) }
    network.run(seconds: 1)
    #expect(abs(loudness(bert) / whole - 0.1) < 0.01)
    try rig.change(1) { try $0.setListening(false, to: Self.stage) }
    network.run(seconds: 1)
    #expect(loudness(bert) < 0.001)
    // Where a packet is for several lines, the loudest counts.
    try rig.change(0) { try $0.setTalk(true) }
    network.run(seconds: 1)
    #expect(abs(loudness(bert) / whole - 1) < 0.1)
    try rig.change(1) { try $0.setListening(false, to: .all) }
    network.run(seconds: 1)
    #expect(loudness(bert) < 0.001 && loudness(carl) > 0.5)
  }

  @Test func `who joins a line while somebody talks hears it, who leaves does not any more`() throws
  {
    try begin()
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 1)
    #expect(loudness(carl) < 0.01)
    try rig.change(2) { try $0.joinLine(Self.stage) }
    network.run(seconds: 1)
    #expect(loudness(carl) > 0.5)
    try rig.change(2) { try $0.leaveLine(Self.stage) }
    network.run(seconds: 1)
    #expect(loudness(carl) < 0.01)
    #expect(try stream(carl, of: anna).stream.statistics.lost == 0)
  }

  @Test func `who comes and goes on a line puts off no end of what was for another`() throws {
    try begin()
    for key in [Self.stage, Self.video] {
      try rig.change(0) { try $0.press(key, nowNanoseconds: 0) }
    }
    network.run(seconds: 1)
    try rig.change(0) { try $0.release(Self.stage, nowNanoseconds: 3_000_000_000) }
    let since = network.now + 100_000_000
    for step in 0..<100 {
      try rig.change(2) { desk in
        if step % 2 == 0 { try desk.leaveLine(Self.video) } else { try desk.joinLine(Self.video) }
      }
      network.run(seconds: 0.005)
    }
    let packets = network.media(to: .host(2), since: since).filter { $0.source == .host(1) }
    #expect(!packets.isEmpty && packets.allSatisfy { $0.bytes.count < 70 }, "no sound in them")
  }

  /// A click of 1 ms some time after the microphone's frame `at`.
  private func click(at frame: Int) -> (Int) -> Float {
    { index in
      guard (frame..<frame + 48).contains(index) else { return 0 }
      // 2 kHz, which Opus codes wherever in a codec frame it comes.
      return (index - frame) % 24 < 12 ? 0.5 : -0.5
    }
  }

  private func peak(_ node: VirtualNode, sinceFrame start: Int) -> Float {
    node.heard[start...].map(abs).max() ?? 0
  }

  @Test(arguments: [0.0, 0.001, 0.0033, 0.0071])
  func `a click at the press and one just before the release are heard`(offset: Double)
    throws
  {
    try begin()
    network.run(seconds: offset)
    var start = anna.heard.count
    anna.mic = click(at: start)
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 0.5)
    #expect(peak(bert, sinceFrame: start) > 0.1, "at the press")
    #expect(peak(carl, sinceFrame: start) < 0.001)

    network.run(seconds: offset)
    start = anna.heard.count
    anna.mic = click(at: start + 2)
    let node = anna
    #expect(network.run(until: { node.heard.count >= start + 50 }))
    try rig.change(0) { try $0.release(Self.stage, nowNanoseconds: 1_000_000_000) }
    network.run(seconds: 0.5)
    #expect(peak(bert, sinceFrame: start) > 0.1, "before the release")
    #expect(peak(carl, sinceFrame: start) < 0.001)

    // A key that gives way to another: what was said before is for the former line, and what comes after for the other.
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 2_000_000_000) }
    network.run(seconds: 0.5 + offset)
    start = anna.heard.count
    anna.mic = click(at: start + 2)
    #expect(network.run(until: { node.heard.count >= start + 50 }))
    try rig.change(0) {
      try $0.release(Self.stage, nowNanoseconds: 3_000_000_000)
      try $0.press(Self.video, nowNanoseconds: 3_000_000_000)
    }
    network.run(seconds: 0.5)
    #expect(peak(bert, sinceFrame: start) > 0.1, "before it gave way")
    start = anna.heard.count
    anna.mic = click(at: start + 480)
    network.run(seconds: 0.5)
    #expect(peak(carl, sinceFrame: start) > 0.1 && peak(bert, sinceFrame: start) < 0.001)
  }

  @Test func `what is sent again or as a copy goes to nobody whom it was not for`() throws {
    try begin()
    let before = network.now
    try rig.change(0) { try $0.press(Self.stage, nowNanoseconds: 0) }
    network.run(seconds: 1)
    let capture = anna.station.capture
    let base = anna.station.protection.base
    let (toBert, toCarl) = try (
      #require(anna.station.roster.sessions[bert.node]),
      #require(anna.station.roster.sessions[carl.node])
    )
    var checked = 0
    for raw in UInt16.min...UInt16.max {
      let number = SequenceNumber(rawValue: raw)
      guard capture.writer.remembers(number, of: base, for: toBert),
        !capture.writer.remembers(number, of: base, for: toCarl)
      else { continue }
      checked += 1
    }
    #expect(checked > 50)
    #expect(network.media(to: .host(3), since: before).allSatisfy { $0.bytes.count < 70 })
  }

  @Test func `with no line but all packets are as they were without lines`() throws {
    network.run(seconds: 2)
    let plain = try OpenedTraffic(
      network.traffic.filter { !$0.isReport && $0.source == .host(1) }, of: nodes)
    #expect(plain.plain.count > 300)
    for bytes in plain.plain {
      let header = try RTPPacket(parsing: unsafe bytes.span.bytes).header
      #expect(header.lines == nil && header.run == nil)
    }
  }
}
