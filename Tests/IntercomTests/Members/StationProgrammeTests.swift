import Audio
import Cryptography
import EventLoop
import Habits
import Media
import Mesh
import RTP
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Anna has a programme, Bert hears it, Carl may talk.
@Suite struct StationProgrammeTests {
  private let network: VirtualNetwork
  private let anna: VirtualNode
  private let bert: VirtualNode
  private let carl: VirtualNode
  private let tone: Tone
  private static let centre = 0.7071

  init() throws { try self.init(ports: ["program_left", "program_right"]) }

  private init(
    ports: [String], sampleRate: Int = 48_000, link: LinkModel = LinkModel()
  ) throws {
    network = VirtualNetwork(model: link)
    anna = try VirtualNode(
      "Anna", at: .host(1), beat: VirtualNode.Beat(sampleRate: sampleRate),
      adjust: { $0.inputs = [InputSettings(name: "program", ports: ports)] })
    bert = try VirtualNode(
      "Bert", at: .host(2), beat: VirtualNode.Beat(sampleRate: sampleRate),
      adjust: { $0.buses = [BusSettings(name: "foh")] })
    carl = try VirtualNode("Carl", at: .host(3), beat: VirtualNode.Beat())
    tone = Tone(hertz: 500, sampleRate: sampleRate)
    let (sound, silence): ((Int) -> Float, (Int) -> Float) = (tone.sample, { _ in 0 })
    anna.inputs = ports.indices.map { $0 == 0 ? sound : silence }
    let nodes = [anna, bert, carl]
    for node in nodes { network.add(node) }
    for node in nodes { for other in nodes where other !== node { try node.admit(other, network) } }
    anna.station.setTalk(false)
    network.run(seconds: 2)
    let free = try #require(anna.station.protection.freeNumber())
    let stream = anna.station.open(
      free.number, of: 1, .everyone, .everyone, try SRTPSendingKey(epoch: 1), epoch: 1)
    let key = try #require(stream).message
    for node in [bert, carl] { #expect(try node.install(key, of: anna, network)) }
  }

  /// What Bert hears of the tone on either side, of what went in.
  private func heard() -> (left: Double, right: Double) {
    // A second has three whole swells of the tone.
    let frames = tone.sampleRate
    let sent = tone.level(in: (0..<frames).map(tone.sample))
    return (
      tone.level(in: bert.heard.suffix(frames)) / sent,
      tone.level(in: bert.heardRight.suffix(frames)) / sent
    )
  }

  private func status() throws -> PeerStreamStatus {
    let anna = bert.statuses(network).first { $0.name == "Anna" }
    return try #require(anna?.streams?.first)
  }

  @Test(arguments: [48_000, 44_100])
  func `a tone on the left alone is heard on the left alone, as loud as it was sent`(
    sampleRate: Int
  ) throws {
    let suite = try StationProgrammeTests(
      ports: ["program_left", "program_right"], sampleRate: sampleRate)
    suite.network.run(seconds: 4)
    var heard = suite.heard()
    // What is in the middle has 3 dB less on either side, as voices have.
    #expect(abs(heard.left / Self.centre - 1) < 0.05, "\(heard)")
    #expect(heard.right < heard.left / 100, "40 dB: \(heard)")
    let status = try suite.status()
    #expect(status.channels == 2 && status.lost == 0)
    #expect((60...175).contains(status.bitrateKilobits), "\(status.bitrateKilobits)")
    #expect(suite.bert.station.buses.level(of: 0).rms > 0.03, "a mono bus has the mean")

    suite.anna.inputs.swapAt(0, 1)
    suite.network.run(seconds: 2)
    heard = suite.heard()
    #expect(abs(heard.right / Self.centre - 1) < 0.05 && heard.left < heard.right / 100)
    try suite.bert.station.roster.change("Anna") { $0.pan = -1 }
    suite.network.run(seconds: 2)
    #expect(suite.heard().right < 0.001, "pan is the balance")
  }

  @Test(arguments: [(16_000, 96_000), (64_000, 128_000), (128_000, 160_000)])
  func `music has twice the voice's bit rate within what it is worth`(voice: Int, music: Int) {
    #expect(StereoEncoder.bitsPerSecond(besideVoiceOf: voice) == music)
  }

  @Test func `a mono programme is sent as a voice is`() throws {
    let suite = try StationProgrammeTests(ports: ["program"])
    suite.network.run(seconds: 4)
    let heard = suite.heard()
    #expect(abs(heard.left / Self.centre - 1) < 0.05 && abs(heard.right / heard.left - 1) < 0.001)
    let status = try suite.status()
    #expect(status.channels == 1 && status.bitrateKilobits < 110)
    let stream = try #require(suite.bert.station.playout.streams.first { !$0.isMicrophone })
    #expect(!stream.stream.hasSide)
  }

  @Test func `both sides of a programme give way by 12 dB while anybody is heard`() throws {
    network.run(seconds: 2)
    let before = heard()
    carl.mic = Tone(hertz: 300, amplitude: 0.1).sample
    network.run(seconds: 3)
    var dimmed = heard()
    #expect(abs(dimmed.left / before.left - 0.251) < 0.03, "\(dimmed)")
    anna.inputs.swapAt(0, 1)
    network.run(seconds: 2)
    dimmed = heard()
    #expect(abs(dimmed.right / before.left - 0.251) < 0.03, "\(dimmed)")
    #expect(dimmed.left < dimmed.right / 100)
    carl.mic = { _ in 0 }
    network.run(seconds: 4)
    #expect(abs(heard().right / before.left - 1) < 0.05)
  }

  @Test func `on a way that loses packets and varies both sides stay where they are`() throws {
    var link = LinkModel()
    link.loss = 0.05
    link.jitter = .uniform(nanoseconds: 8_000_000)
    let suite = try StationProgrammeTests(
      ports: ["program_left", "program_right"], sampleRate: 44_100, link: link)
    suite.network.run(seconds: 12)
    let heard = suite.heard()
    #expect(heard.left > 0.9 * Self.centre && heard.right < heard.left / 50, "\(heard)")
    let status = try suite.status()
    #expect(status.channels == 2 && status.lost > 20)
    #expect(status.repaired > status.lost * 2 / 3, "\(status)")
  }

  @Test func `all inputs are silent in both channels while the programme is turned off`() throws {
    network.run(seconds: 2)
    try anna.station.capture.setInput("program", isOn: false)
    network.run(seconds: 2)
    #expect(heard().left < 0.001 && heard().right < 0.001)
    let input = try #require(anna.station.snapshot(nowNanoseconds: network.now).inputs.first)
    #expect(!input.settings.isOn && !input.isTalking && input.levelDBFS > -30)
    try anna.station.capture.setInput("program", isOn: true)
    network.run(seconds: 2)
    #expect(abs(heard().left / Self.centre - 1) < 0.05)
  }
}
