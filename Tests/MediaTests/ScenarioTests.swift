import Media
import RTP
import TestKit
import Testing

/// Whole streams over bad links: how they sound, and what is counted.
@Suite struct ScenarioTests {
  static let packetSizes = TalkerConfiguration.supportedFramesPerPacket

  /// received = played + notices + late + duplicate + discarded + buffered.
  static func isBalanced(_ statistics: PeerStreamStatistics) -> Bool {
    statistics.received
      == statistics.played + statistics.notices + statistics.late + statistics.duplicate
      + statistics.discarded.total + statistics.buffered
  }

  @Test(arguments: packetSizes)
  func `every packet size is continuous`(frames: Int) {
    var settings = ScenarioSettings()
    settings.framesPerPacket = frames
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 3000)
    let statistics = scenario.stream.statistics
    #expect(statistics.lost == 0 && statistics.concealedFrames == 0 && statistics.late == 0)
    #expect(scenario.underruns == 0)
    #expect(scenario.greatestStep < 1.5 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test(arguments: packetSizes)
  func `loss is concealed and counted exactly`(frames: Int) {
    var settings = ScenarioSettings()
    settings.framesPerPacket = frames
    settings.link.loss = 0.05
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 10_000)
    let statistics = scenario.stream.statistics
    // The last packets may still be under way or not missed yet.
    #expect(abs(scenario.link.lostCount - statistics.lost) <= 3)
    #expect(statistics.concealedFrames >= (statistics.lost - 1) * frames)
    #expect(statistics.late == 0)
    #expect(Self.isBalanced(statistics))
    // The tone goes on through concealment: only joins after splices and fades may step.
    #expect(scenario.greatestStep < 3 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test func `bursts of loss are concealed without underruns`() {
    var settings = ScenarioSettings()
    settings.link.bursts = .init(begin: 0.01, end: 0.25)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 10_000)
    let statistics = scenario.stream.statistics
    #expect(abs(scenario.link.lostCount - statistics.lost) <= 8)
    #expect(scenario.underruns == 0)
    #expect(Self.isBalanced(statistics))
  }

  @Test func `reordering within the delay loses nothing`() {
    var settings = ScenarioSettings()
    settings.link.reorder = 0.2
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 2000)
    let settled = scenario.stream.statistics
    scenario.run(milliseconds: 8000)
    let statistics = scenario.stream.statistics
    #expect(statistics.lost == 0)
    #expect(statistics.late == settled.late)
    #expect(statistics.concealedFrames == settled.concealedFrames)
  }

  @Test func `copies are counted and not played`() {
    var settings = ScenarioSettings()
    settings.link.duplication = 0.3
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 5000)
    let statistics = scenario.stream.statistics
    #expect(statistics.duplicate > 400)
    #expect(statistics.received - statistics.duplicate <= scenario.talkerCounters.packets)
    #expect(statistics.lost == 0 && statistics.late == 0)
    #expect(Self.isBalanced(statistics))
  }

  @Test(arguments: [1_000_000, 5_000_000, 15_000_000, 40_000_000])
  func `jitter is answered by delay`(nanoseconds: Int64) {
    var settings = ScenarioSettings()
    settings.link.jitter = .uniform(nanoseconds: nanoseconds)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 4000)
    let settled = scenario.stream.statistics
    scenario.run(milliseconds: 10_000)
    let statistics = scenario.stream.statistics
    let late = statistics.late - settled.late
    #expect(late < (statistics.received - settled.received) / 40)
    #expect(statistics.playoutDelayNanoseconds < nanoseconds + 4_000_000)
    #expect(statistics.jitterNanoseconds > nanoseconds / 5)
    #expect(statistics.lost == 0)
    #expect(Self.isBalanced(statistics))
  }

  @Test func `delay comes back down after a storm`() {
    let scenario = StreamScenario(ScenarioSettings())
    scenario.run(milliseconds: 2000)
    let calm = scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    scenario.link.model.jitter = .uniform(nanoseconds: 40_000_000)
    scenario.run(milliseconds: 3000)
    #expect(scenario.medianDelayNanoseconds(lastMilliseconds: 500) > calm + 25_000_000)
    scenario.link.model.jitter = .none
    scenario.run(milliseconds: 20_000)
    #expect(scenario.medianDelayNanoseconds(lastMilliseconds: 200) < calm + 1_000_000)
    #expect(scenario.stream.statistics.jumps == 0)
  }

  @Test func `rare spikes do not raise the delay`() {
    let scenario = StreamScenario(ScenarioSettings())
    scenario.run(milliseconds: 2000)
    let calm = scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    for _ in 0..<5 {
      // Five packets of the window's 800 come together, 12 ms late at most.
      scenario.link.hold(untilNanoseconds: scenario.clock.nowNanoseconds + 12_000_000)
      scenario.run(milliseconds: 3000)
      #expect(scenario.medianDelayNanoseconds(lastMilliseconds: 2500) < calm + 1_000_000)
    }
  }

  @Test func `no packet waits longer than the bound`() {
    var settings = ScenarioSettings()
    settings.stream.playoutDelayMaximumNanoseconds = 30_000_000
    settings.link.jitter = .uniform(nanoseconds: 100_000_000)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 5000)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 30_000_000)
    // Fastest packet, codec frame and bound.
    let delays = scenario.delays(sinceNanoseconds: 2_000_000_000)
    #expect((delays.last ?? .max) < 2_500_000 + 30_000_000 + 1_500_000)
  }

  @Test func `a stalled receiver drops what is beyond the bound`() {
    let scenario = StreamScenario(ScenarioSettings())
    scenario.run(milliseconds: 2000)
    let calm = scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    scenario.skipReceiverPeriods(375)
    scenario.run(milliseconds: 1000)
    #expect(scenario.medianDelayNanoseconds(lastMilliseconds: 200) < calm + 1_000_000)
    #expect(scenario.stream.statistics.discarded.skipped > 100)
    #expect(Self.isBalanced(scenario.stream.statistics))
    #expect(scenario.greatestStep < 3 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test func `a peer that dies says nothing more and is silent after its room faded`() {
    var settings = ScenarioSettings()
    settings.recordsOutput = true
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 1000)
    scenario.setSenderRunning(false)
    scenario.run(milliseconds: 200)
    #expect(!scenario.stream.isPlaying)
    #expect(scenario.stream.statistics.concealedFrames == 4800)
    let room = scenario.output.suffix(4500)
    let meanSquare = room.reduce(0) { $0 + $1 * $1 } / Float(room.count)
    #expect(meanSquare < 2e-4)
    #expect(scenario.greatestStep < 1.5 * ToneCodec.greatestStep(amplitude: 0.5))
    let heard = scenario.stream.statistics.concealedFrames
    scenario.run(milliseconds: 3000)
    #expect(scenario.stream.statistics.concealedFrames == heard)
    #expect(!scenario.stream.isSounding)
    #expect(scenario.output.suffix(1000).allSatisfy { $0 == 0 })
    scenario.setSenderRunning(true)
    scenario.run(milliseconds: 100)
    #expect(scenario.stream.isPlaying)
    #expect(scenario.stream.statistics.lost == 0)
  }

  @Test func `an encoder that fails is heard as a pause`() {
    let scenario = StreamScenario(ScenarioSettings())
    scenario.run(milliseconds: 500)
    scenario.setEncoderFailing(true)
    scenario.run(milliseconds: 500)
    #expect(scenario.talkerCounters.encoderErrors > 190)
    scenario.setEncoderFailing(false)
    scenario.run(milliseconds: 500)
    #expect(scenario.stream.isPlaying)
    #expect(scenario.stream.statistics.lost == 0)
  }
}
