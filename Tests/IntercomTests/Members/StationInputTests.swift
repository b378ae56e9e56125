import Audio
import Cryptography
import EventLoop
import Habits
import Lines
import Media
import Mesh
import RTP
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Anna has a stereo programme and a four-wire line, Bert a bus for all and one without Anna, Carl talks.
@Suite struct StationInputTests {
  private let network: VirtualNetwork
  private let anna: VirtualNode
  private let bert: VirtualNode
  private let carl: VirtualNode
  private var nodes: [VirtualNode] { [anna, bert, carl] }

  init() throws {
    try self.init(sampleRate: 48_000)
  }

  private init(
    sampleRate: Int, link: LinkModel = LinkModel(), deskLines: [String] = []
  ) throws {
    network = VirtualNetwork(model: link)
    anna = try VirtualNode(
      "Anna", at: .host(1), beat: VirtualNode.Beat(sampleRate: sampleRate),
      adjust: { configuration in
        var desk = InputSettings(name: "desk", ports: ["in_desk"])
        desk.lines = deskLines
        configuration.inputs = [
          InputSettings(name: "program", ports: ["program_left", "program_right"]), desk,
        ]
      })
    bert = try VirtualNode(
      "Bert", at: .host(2), beat: VirtualNode.Beat(),
      adjust: { configuration in
        var without = BusSettings(name: "ifb")
        without.members["Anna"] = -.infinity
        configuration.buses = [BusSettings(name: "foh"), without]
      })
    carl = try VirtualNode("Carl", at: .host(3), beat: VirtualNode.Beat())
    anna.inputs = [
      Self.tone(500, sampleRate).sample, Self.tone(500, sampleRate).sample,
      Self.tone(900, sampleRate).sample,
    ]
    for node in nodes { network.add(node) }
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
  }

  private static func tone(_ hertz: Double, _ sampleRate: Int = 48_000) -> Tone {
    var tone = Tone(hertz: hertz, sampleRate: sampleRate)
    tone.amplitude = 0.1
    return tone
  }

  /// Sends all inputs of Anna to everybody.
  private func openInputs() throws {
    for source in 1...2 {
      let free = try #require(anna.station.protection.freeNumber())
      let stream = anna.station.open(
        free.number, of: source, .everyone, .everyone, try SRTPSendingKey(epoch: 1), epoch: 1)
      let key = try #require(stream).message
      for node in [bert, carl] { #expect(try node.install(key, of: anna, network)) }
    }
  }

  private func level(_ hertz: Double, at node: VirtualNode) -> Double {
    Tone(hertz: hertz).level(in: node.heard.suffix(24_000))
  }

  private func status(of node: VirtualNode) throws -> PeerStatus {
    try #require(node.statuses(network).first { $0.name == "Anna" })
  }

  @Test(arguments: [48_000, 44_100])
  func `a programme and a four-wire line are heard beside a closed microphone`(
    sampleRate: Int
  ) throws {
    let suite = try StationInputTests(sampleRate: sampleRate)
    let (anna, bert) = (suite.anna, suite.bert)
    anna.station.setTalk(false)
    suite.network.run(seconds: 2)
    try suite.openInputs()
    suite.network.run(seconds: 3)
    let (program, desk) = (suite.level(500, at: bert), suite.level(900, at: bert))
    // The mean of two equal sides is as loud as one; and the programme gives way by 12 dB while anybody is heard.
    #expect(abs(program / desk - 0.251) < 0.05)
    #expect(desk > 0.03)
    let streams = try #require(try suite.status(of: bert).streams)
    #expect(streams.map(\.name) == ["program", "desk"])
    #expect(streams.map(\.port) == ["comlink:peer_Anna program", "comlink:peer_Anna desk"])
    #expect(streams.allSatisfy { $0.isTalking && $0.lost == 0 && $0.received > 200 })
    #expect(try !suite.status(of: bert).isTalking)
    #expect(bert.ports.names.values.contains("Anna program"))
    withExtendedLifetime(suite) {}
  }

  @Test func `an input that is turned off is silent, and back when it is turned on`() throws {
    network.run(seconds: 2)
    try openInputs()
    network.run(seconds: 2)
    try anna.station.capture.setInput("desk", isOn: false)
    network.run(seconds: 2)
    #expect(level(900, at: bert) < 0.001 && level(500, at: bert) > 0.03)
    let off = try #require(
      anna.station.snapshot(nowNanoseconds: network.now).inputs.first { $0.settings.name == "desk" }
    )
    #expect(!off.settings.isOn && !off.isTalking && off.levelDBFS > -30)
    try anna.station.capture.setInput("desk", isOn: true)
    network.run(seconds: 2)
    #expect(level(900, at: bert) > 0.03)
    #expect(try status(of: bert).streams?.last?.lost == 0)
    #expect(throws: IntercomError.self) {
      try anna.station.capture.setInput("other", isOn: true)
    }
  }

  /// Lets Anna's desk be for its line 1, which Bert is on if told so, and hears.
  private func aimDesk(isBertOnIt: Bool) {
    var routing = LineRouting()
    routing.talk = .everyone
    routing.tellsLines = true
    routing.inputs["desk"] = LineSet(rawValue: 2)
    if isBertOnIt {
      routing.members[bert.node] = LineRouting.Member(
        addressed: LineRouting.Member.unknown.addressed.union(LineSet(rawValue: 2)),
        gains: LineRouting.Member.unknown.gains)
    }
    anna.station.follow(routing)
    var listening = LineRouting()
    var gains = LineRouting.Member.unknown.gains
    gains[1] = 0.5
    listening.members[anna.node] = LineRouting.Member(
      addressed: LineRouting.Member.unknown.addressed, gains: gains)
    bert.station.follow(listening)
  }

  @Test func `an input that is for a line goes to members on it, as loud as they hear the line`()
    throws
  {
    network.run(seconds: 2)
    try openInputs()
    network.run(seconds: 2)
    let before = (bert: level(900, at: bert), carl: level(900, at: carl))
    #expect(before.bert > 0.03 && before.carl > 0.03)
    aimDesk(isBertOnIt: true)
    network.run(seconds: 3)
    #expect(abs(level(900, at: bert) / before.bert - 0.5) < 0.05)
    #expect(level(900, at: carl) < 0.001 && level(500, at: carl) > 0.03)
    let since = network.now - 2_000_000_000
    let sent = [2, 3].map { host in
      network.media(to: .host(host), since: since).count(where: { $0.source == .host(1) })
    }
    // A hundred packets a second less.
    #expect(sent[0] - sent[1] > 150, "\(sent)")
    let streams = try #require(carl.statuses(network).first { $0.name == "Anna" }?.streams)
    #expect(streams.map(\.lost) == [0, 0] && !streams[1].isTalking)

    aimDesk(isBertOnIt: false)
    network.run(seconds: 2)
    #expect(level(900, at: bert) < 0.001)
    #expect(try status(of: bert).streams?.last?.lost == 0)
    anna.station.follow(LineRouting())
    network.run(seconds: 3)
    #expect(level(900, at: carl) > 0.03, "for all again")
  }

  @Test func `an input whose lines the node has left is for nobody`() throws {
    network.run(seconds: 2)
    try openInputs()
    var routing = LineRouting()
    routing.inputs["desk"] = []
    anna.station.follow(routing)
    network.run(seconds: 2)
    #expect(level(900, at: bert) < 0.001 && level(500, at: bert) > 0.03)
    let inputs = anna.station.snapshot(nowNanoseconds: network.now).inputs
    #expect(inputs.map(\.isTalking) == [true, false])
  }

  @Test func `an input that is for lines from the start on is for nobody before they are known`()
    throws
  {
    let tests = try StationInputTests(sampleRate: 48_000, deskLines: ["stage"])
    tests.network.run(seconds: 2)
    try tests.openInputs()
    tests.network.run(seconds: 2)
    #expect(tests.level(900, at: tests.bert) < 0.001 && tests.level(500, at: tests.bert) > 0.03)
    tests.anna.station.follow(LineRouting())
    tests.network.run(seconds: 3)
    #expect(tests.level(900, at: tests.bert) > 0.03, "for all")
  }

  @Test func `a silent input costs next to nothing, and a node that is off rests`() throws {
    anna.inputs = anna.inputs.map { _ in { _ in 0 } }
    anna.station.setTalk(false)
    network.run(seconds: 2)
    try openInputs()
    network.run(seconds: 3)
    let since = network.now - 2_000_000_000
    // A notice each 0.4 s for each of three streams.
    #expect(network.media(to: .host(2), since: since).count(where: { $0.source == .host(1) }) < 20)
    for name in ["program", "desk"] {
      try anna.station.capture.setInput(name, isOn: false)
    }
    network.run(seconds: 1)
    let before = anna.wakeUps
    network.run(seconds: 2)
    #expect(anna.wakeUps - before < 2 * 130, "as any node with a closed key")
  }

  @Test func `what is lost of an input's stream is repaired as the voice is`() throws {
    var model = LinkModel()
    model.loss = 0.05
    let suite = try StationInputTests(sampleRate: 48_000, link: model)
    // What is done about losses follows the streams that sound.
    suite.anna.station.setTalk(false)
    suite.network.run(seconds: 3)
    try suite.openInputs()
    suite.network.run(seconds: 12)
    for stream in try #require(try suite.status(of: suite.bert).streams) {
      #expect(stream.lost > 20)
      #expect(stream.repaired > stream.lost * 2 / 3, "\(stream)")
    }
    #expect(suite.anna.station.repair.recipes.contains { $0.copyCount > 0 })
    withExtendedLifetime(suite) {}
  }

  @Test func `a way too narrow for voice, programme and line gets less of each`() throws {
    var model = LinkModel()
    (model.rateKilobits, model.delayNanoseconds) = (170, 10_000_000)
    let suite = try StationInputTests(sampleRate: 48_000, link: model)
    suite.network.remove(suite.carl)
    suite.anna.mic = Self.tone(300).sample
    suite.network.run(seconds: 2)
    try suite.openInputs()
    suite.network.run(seconds: 45)
    let session = try #require(suite.bert.station.roster.sessions[suite.anna.node])
    let streams = session.streams.map(\.stream)
    let before = streams.map(\.statistics)
    suite.network.run(seconds: 30)
    #expect(streams.count == 3)
    for (stream, before) in zip(streams, before) {
      let after = stream.statistics
      let unheard = after.lost + after.late - before.lost - before.late
      #expect(Double(unheard) < 0.03 * Double(after.played - before.played), "\(unheard)")
    }
    #expect(!suite.anna.station.repair.isUsual)
    withExtendedLifetime(suite) {}
  }

  @Test func `buses have those who are set, whatever the ear does`() throws {
    carl.mic = Self.tone(700).sample
    network.run(seconds: 2)
    try openInputs()
    anna.mic = Self.tone(700).sample
    network.run(seconds: 2)
    func levels() -> [Float] {
      let buses = bert.station.buses
      return buses.buses.indices.map { buses.level(of: $0).rms }
    }
    let before = levels()
    // Anna's microphone, programme and line are on the first; Carl alone is on the second.
    #expect(before[0] > 1.5 * before[1] && before[1] > 0.03)
    for peer in ["Anna", "Carl"] {
      try bert.station.roster.change(peer) { $0.isMuted = true }
    }
    network.run(seconds: 1)
    #expect(level(700, at: bert) < 0.001)
    #expect(abs(levels()[1] / before[1] - 1) < 0.05)
    try bert.station.buses.set(-.infinity, of: "Carl", on: "ifb")
    for session in bert.station.roster.connected { bert.station.streams.patch(session) }
    network.run(seconds: 4)
    #expect(levels()[1] < 0.001)
    #expect(throws: IntercomError.self) {
      try bert.station.buses.set(0, of: nil, on: "other")
    }
    let status = bert.station.snapshot(nowNanoseconds: network.now).buses
    #expect(status.map(\.settings.port) == ["bus_foh", "bus_ifb"])
  }
}
