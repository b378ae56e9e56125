import Audio
import EventLoop
import Media
import TestKit
import Testing

@testable import Intercom

/// Tests of a station by its user, in virtual time.
@Suite struct StationTestTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  /// Anna, who tests, and Bert, who says 700 Hz; connected.
  private func pair(
    _ model: LinkModel = LinkModel(), adjust: (inout IntercomConfiguration) -> Void = { _ in }
  ) throws -> (network: VirtualNetwork, anna: VirtualNode, bert: VirtualNode) {
    let network = VirtualNetwork(model: model)
    let anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat(), adjust: adjust)
    let bert = try VirtualNode("Bert", at: away, beat: VirtualNode.Beat(), adjust: adjust)
    anna.mic = Tone(hertz: 440).sample
    bert.mic = Tone(hertz: 700).sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 3)
    #expect(anna.isConnected(to: away) && bert.isConnected(to: home))
    return (network, anna, bert)
  }

  private static func link(milliseconds: Int64) -> LinkModel {
    var model = LinkModel()
    model.delayNanoseconds = milliseconds * 1_000_000
    return model
  }

  private func consent(_ bert: VirtualNode, _ network: VirtualNetwork, seconds: Double = 60) throws
  {
    _ = try bert.station.tests.beginLoopBack(
      of: bert.station.roster.sessions.find("Anna"), seconds: seconds, nowNanoseconds: network.now)
  }

  /// What a loop test finds.
  private func measure(
    _ anna: VirtualNode, _ network: VirtualNetwork
  ) throws -> LoopMeasurement {
    let probe = LoopProbe(sampleRate: 48_000)
    let record = try record(of: probe.signal, anna, network)
    return probe.measure(Echo(record: record, networkMilliseconds: nil, playoutMilliseconds: nil))
  }

  private func record(
    of signal: [Float], _ anna: VirtualNode, _ network: VirtualNetwork
  ) throws -> [Float] {
    _ = try anna.beginEcho(EchoTest(signal, sampleRate: 48_000), with: "Bert")
    #expect(network.run(until: { anna.station.tests.running == nil }, limitSeconds: 12))
    let test = try #require(anna.station.tests.lastEcho?.test)
    #expect(test.isComplete)
    return test.record
  }

  @Test(arguments: [480, 120], [Int64(25_000_000), 60_000_000])
  func `The way there and back is what its parts take`(frames: Int, playout: Int64) throws {
    let (network, anna, bert) = try pair(Self.link(milliseconds: 15)) {
      $0.framesPerPacket = frames
      $0.playoutDelay = .fixed(nanoseconds: playout)
    }
    try consent(bert, network)
    let found = try measure(anna, network)
    #expect(found.found == found.sent && found.sent == 8)
    let trip = try #require(found.roundTrip)
    // A packet, Opus' look-ahead, the link and the wait, twice; each is rounded to periods, twice.
    let expected = 2 * (Double(frames) / 48 + 2.5 + 15 + Double(playout) / 1e6)
    #expect(abs(trip.median - expected) < 4 * 128.0 / 48, "\(trip), expected \(expected)")
    #expect(trip.most - trip.least < 3)
    #expect(abs(try #require(found.levelDecibels)) < 0.5)
  }

  @Test func `Of a way that loses a tenth and jitters, sweeps are found, and their median is near`()
    throws
  {
    var model = Self.link(milliseconds: 10)
    model.loss = 0.1
    model.jitter = .uniform(nanoseconds: 10_000_000)
    let (network, anna, bert) = try pair(model)
    try consent(bert, network)
    let found = try measure(anna, network)
    #expect(found.found >= 6)
    let trip = try #require(found.roundTrip)
    #expect(trip.median > 45 && trip.median < 250, "\(trip)")
  }

  @Test func `Nothing is found where nobody sends it back, whatever is said there`() throws {
    let (network, anna, _) = try pair()
    let found = try measure(anna, network)
    #expect(found.found == 0 && found.roundTrip == nil && found.levelDecibels == nil)
  }

  @Test func `Speech comes back from a good link as good as from the codec`() throws {
    let (network, anna, bert) = try pair()
    try consent(bert, network)
    let probe = SpeechProbe(sampleRate: 48_000)
    let echo = Echo(
      record: try record(of: probe.signal, anna, network), networkMilliseconds: nil,
      playoutMilliseconds: nil)
    let judged = try probe.measure(
      echo, coding: anna.station.repair.coding, application: "lowdelay")
    let alone = try CodecTest(
      configuration: anna.station.configuration, coding: anna.station.repair.coding
    ).run()
    #expect(judged.intelligibility > alone.intelligibility - 0.03)
    #expect(alone.intelligibility > 0.98)
    #expect(alone.delayMilliseconds == 12.5)
  }

  @Test func `A codec that is given less is understood less`() throws {
    var configuration = IntercomConfiguration(name: "A", listen: home, softwareVersion: "test")
    let figures = try [64_000, 6_000].map { bits in
      configuration.bitsPerSecond = bits
      return try CodecTest(configuration: configuration, coding: configuration.coding)
        .run().intelligibility
    }
    #expect(figures[1] < figures[0] - 0.05, "\(figures)")
  }

  @Test func `Who sends a voice back sends nothing of its own, and goes back to it in time`() throws
  {
    let (network, anna, bert) = try pair()
    try consent(bert, network, seconds: 2)
    network.run(seconds: 1.9)
    let during = anna.heard.suffix(48_000)
    #expect(Tone(hertz: 440).level(in: during) > 0.05)
    #expect(Tone(hertz: 700).level(in: during) < 0.005)
    network.run(seconds: 2)
    let after = anna.heard.suffix(48_000)
    #expect(Tone(hertz: 700).level(in: after) > 0.05)
    #expect(Tone(hertz: 440).level(in: after) < 0.005)
    #expect(bert.station.tests.loopBack == nil)
  }

  @Test func `After a test the microphone is sent again`() throws {
    let (network, anna, bert) = try pair()
    _ = try measure(anna, network)
    network.run(seconds: 1.5)
    #expect(Tone(hertz: 440).level(in: bert.heard.suffix(48_000)) > 0.05)
  }

  @Test func `A peer that goes ends both its loop-back and the test with it`() throws {
    let (network, anna, bert) = try pair()
    try consent(bert, network)
    let signal = LoopProbe(sampleRate: 48_000).signal
    _ = try anna.beginEcho(EchoTest(signal, sampleRate: 48_000), with: "Bert")
    network.run(seconds: 0.5)
    network.cut(home)
    network.run(seconds: 6)
    #expect(bert.station.tests.loopBack == nil)
    #expect(anna.station.tests.running == nil)
    #expect(anna.station.tests.lastEcho?.test.isComplete == false)
  }

  @Test func `A tone is heard as loud as told, by nobody else, and leaves its place`() throws {
    let (network, anna, _) = try pair()
    anna.station.setTalk(false)
    network.run(seconds: 1)
    let first = anna.heard.count
    let free = anna.station.slots.freeCount
    _ = try anna.beginTone(EarTone.Sound(levelDBFS: -20, hertz: 1000, seconds: 1))
    #expect(anna.station.slots.freeCount == free - 1)
    let start = network.now
    network.run(seconds: 1.5)
    let tone = anna.heard[(first + 12_000)..<(first + 36_000)]
    // In the middle: 3 dB less on each side.
    #expect(abs(Tone(hertz: 1000).level(in: tone) - 0.1 * 0.5.squareRoot()) < 0.002)
    #expect(Tone(hertz: 1000).level(in: anna.heard.suffix(9_600)) < 0.001)
    #expect(anna.station.slots.freeCount == free)
    // Keep-alives only: nobody talks.
    #expect(network.media(to: away, since: start).count <= 4)
  }

  @Test func `A tone that is broken off fades within a tenth of a second`() throws {
    let (network, anna, bert) = try pair()
    bert.station.setTalk(false)
    network.run(seconds: 1)
    _ = try anna.beginTone(EarTone.Sound(levelDBFS: -12, hertz: 1000, seconds: 20))
    network.run(seconds: 0.5)
    anna.station.tests.end()
    let end = anna.heard.count
    network.run(seconds: 0.3)
    #expect(Tone(hertz: 1000).level(in: anna.heard[(end + 4_800)...]) < 0.001)
    let around = anna.heard[(end - 480)...]
    let largest = zip(around, around.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    // A sine's own steepest step is 2πf/rate of its amplitude.
    #expect(largest < 0.25 * 0.71 * 0.131 * 1.1)
  }

  @Test func `One test at a time, of a peer that is there, while JACK runs`() throws {
    let (network, anna, bert) = try pair()
    let echo = { EchoTest([Float](repeating: 0, count: 48_000), sampleRate: 48_000) }
    #expect(throws: IntercomError.self) { _ = try anna.beginEcho(echo(), with: "Carla") }
    #expect(anna.station.tests.running == nil)
    _ = try anna.beginEcho(echo(), with: "Bert")
    #expect(throws: IntercomError.self) { _ = try anna.beginEcho(echo(), with: "Bert") }
    #expect(throws: IntercomError.self) { try consentOf(anna, to: "Bert", network) }
    #expect(throws: IntercomError.self) {
      _ = try anna.beginTone(EarTone.Sound(levelDBFS: -20, hertz: 1000, seconds: 1))
    }
    try consent(bert, network)
    #expect(throws: IntercomError.self) { _ = try bert.beginEcho(echo(), with: "Anna") }
    let deaf = try VirtualNode("Deaf", at: .host(3))
    network.add(deaf)
    network.run(seconds: 0.1)
    #expect(throws: IntercomError.self) {
      _ = try deaf.beginTone(EarTone.Sound(levelDBFS: -20, hertz: 1000, seconds: 1))
    }
  }

  private func consentOf(
    _ node: VirtualNode, to peer: String, _ network: VirtualNetwork
  ) throws {
    _ = try node.station.tests.beginLoopBack(
      of: node.station.roster.sessions.find(peer), seconds: 60, nowNanoseconds: network.now)
  }
}

extension VirtualNode {
  fileprivate func beginEcho(
    _ echo: EchoTest, with peer: String
  ) throws(IntercomError) -> Int {
    try station.tests.beginEcho(
      echo, by: station.roster.sessions.find(peer), at: station.playout.beat)
  }

  fileprivate func beginTone(_ sound: EarTone.Sound) throws(IntercomError) -> Int {
    try station.tests.beginTone(sound, at: station.playout.beat)
  }
}
