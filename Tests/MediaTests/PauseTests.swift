import Media
import RTP
import TestKit
import Testing

/// Speech, silence, speech: with notices, without, and with notices lost.
@Suite struct PauseTests {
  private static func talking(_ change: (inout ScenarioSettings) -> Void = { _ in })
    -> StreamScenario
  {
    var settings = ScenarioSettings()
    settings.usesDTX = true
    settings.recordsOutput = true
    change(&settings)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 1000)
    return scenario
  }

  @Test(arguments: TalkerConfiguration.supportedFramesPerPacket)
  func `a pause is no loss`(frames: Int) {
    let scenario = Self.talking { $0.framesPerPacket = frames }
    for _ in 0..<4 {
      scenario.setAmplitude(0)
      scenario.run(milliseconds: 1500)
      #expect(!scenario.stream.isPlaying)
      scenario.setAmplitude(0.5)
      scenario.run(milliseconds: 700)
      #expect(scenario.stream.isPlaying)
    }
    let statistics = scenario.stream.statistics
    #expect(statistics.starts == 5)
    #expect(statistics.lost == 0 && statistics.late == 0 && statistics.concealedFrames == 0)
    #expect(statistics.notices >= 4 * 3)
    #expect(scenario.talkerCounters.packets < 5 * 1300 * 48 / frames)
    #expect(scenario.underruns == 0)
    #expect(ScenarioTests.isBalanced(statistics))
  }

  @Test func `the delay is the same after each pause`() {
    let scenario = Self.talking()
    scenario.run(milliseconds: 2000)
    let before = scenario.medianDelayNanoseconds(lastMilliseconds: 300)
    for _ in 0..<5 {
      scenario.setAmplitude(0)
      scenario.run(milliseconds: 2000)
      scenario.setAmplitude(0.5)
      scenario.run(milliseconds: 1000)
      let after = scenario.medianDelayNanoseconds(lastMilliseconds: 300)
      #expect(abs(after - before) < 800_000, "\(before) \(after)")
    }
  }

  @Test func `sound begins and ends without a click`() {
    // The frame that ends the hang-over may still be loud: the fade must make the end itself.
    let scenario = Self.talking { $0.usesDTX = false }
    for _ in 0..<10 {
      scenario.setSenderRunning(false)
      scenario.run(milliseconds: 313)
      scenario.setSenderRunning(true)
      scenario.run(milliseconds: 217)
    }
    #expect(scenario.greatestStep < 1.6 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test func `lost notices only cost a concealment`() {
    let scenario = Self.talking()
    scenario.setAmplitude(0)
    scenario.run(milliseconds: 295)
    scenario.link.model.loss = 1
    scenario.run(milliseconds: 600)
    #expect(!scenario.stream.isPlaying)
    scenario.link.model.loss = 0
    scenario.setAmplitude(0.5)
    scenario.run(milliseconds: 500)
    let statistics = scenario.stream.statistics
    #expect(scenario.stream.isPlaying)
    #expect(statistics.concealedFrames <= 4800)
    #expect(statistics.lost <= scenario.link.lostCount)
  }

  @Test func `the first packet of a talk spurt carries the marker`() {
    let encoder = ToneCodec.Encoder()
    let talker = Talker(
      configuration: TalkerConfiguration(
        ssrc: SSRC(rawValue: 9), framesPerPacket: 960,
        firstSequenceNumber: SequenceNumber(rawValue: 65_535),
        firstTimestamp: RTPTimestamp(rawValue: .max - 100)),
      encoder: encoder)
    let speech = (0..<960).map { 0.5 * ToneCodec.tone(at: $0) }
    let silence = [Float](repeating: 0, count: 960)
    let headers = ([speech, speech] + Array(repeating: silence, count: 40) + [speech, speech])
      .compactMap { TalkerTests.encode($0, with: talker)?.header }
    // 14 silent frames are hang-over; then a notice at once and one 400 ms later.
    #expect(headers.count == 2 + 14 + 2 + 2)
    #expect(headers.map(\.marker) == (0..<20).map { $0 == 0 || $0 == 18 })
    let numbers = headers.map(\.sequenceNumber.rawValue)
    #expect(numbers == (0..<20).map { UInt16(65_535) &+ $0 })
    let first = RTPTimestamp(rawValue: .max - 100)
    #expect(first.distance(to: headers[18].timestamp) == 42 * 960)
    #expect(first.distance(to: headers[17].timestamp) == (16 + 20) * 960)
  }
}
