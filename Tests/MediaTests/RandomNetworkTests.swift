import Media
import RTP
import TestKit
import Testing

/// Properties that hold on any network, machine and talker; a failure prints the seed.
@Suite struct RandomNetworkTests {
  private static func settings(seed: UInt64) -> ScenarioSettings {
    var random = SplitMix64(seed: seed)
    var settings = ScenarioSettings()
    settings.seed = seed
    settings.framesPerPacket = [120, 240, 480, 960, 1920, 2880][Int(random.next() % 6)]
    settings.periodFrames = [32, 64, 128, 256, 441, 1024][Int(random.next() % 6)]
    settings.senderPhaseNanoseconds = Int64(random.unit() * 20_000_000)
    settings.senderDriftPPM = (random.unit() - 0.5) * 400
    settings.usesDTX = random.chance(0.5)
    settings.tellsGrid = random.chance(0.8)
    settings.firstSequenceNumber = SequenceNumber(
      rawValue: UInt16.random(in: 65_400 ... .max, using: &random))
    settings.firstTimestamp = RTPTimestamp(
      rawValue: .max - UInt32.random(in: 0...30_000, using: &random))
    if random.chance(0.3) {
      settings.stream.playoutDelay = .fixed(nanoseconds: Int64(random.unit() * 60_000_000))
    }
    settings.stream.playoutDelayMaximumNanoseconds = 20_000_000 + Int64(random.unit() * 1e8)
    settings.link.delayNanoseconds = Int64(random.unit() * 30_000_000)
    let jitter = Int64(random.unit() * random.unit() * 40_000_000)
    settings.link.jitter =
      [
        .none, .uniform(nanoseconds: jitter), .gaussian(nanoseconds: jitter / 2),
      ][Int(random.next() % 3)]
    settings.link.keepsOrder = random.chance(0.5)
    settings.link.loss = random.chance(0.5) ? random.unit() * 0.2 : 0
    if random.chance(0.3) { settings.link.bursts = .init(begin: 0.02, end: 0.2) }
    settings.link.duplication = random.chance(0.3) ? 0.1 : 0
    settings.link.reorder = random.chance(0.3) ? 0.1 : 0
    return settings
  }

  /// Talks, pauses, stumbles and starts anew as the seed says; returns whether what was spoken has
  /// steps of its own.
  @discardableResult
  private static func live(_ scenario: StreamScenario, random: inout SplitMix64) -> Bool {
    var isStepped = false
    for _ in 0..<4 {
      scenario.run(milliseconds: 100 + Int(random.next() % 200))
      switch random.next() % 7 {
      case 0: scenario.skipReceiverPeriods(Int(random.next() % 8))
      case 1: scenario.skipSenderPeriods(Int(random.next() % 8))
      case 2:
        scenario.setAmplitude(random.chance(0.5) ? 0 : 0.5)
        isStepped = true
      case 3: scenario.restartSender()
      case 4: scenario.restartSender(ssrc: SSRC(rawValue: UInt32(random.next() % 3)))
      case 5: scenario.link.hold(untilNanoseconds: scenario.clock.nowNanoseconds + 80_000_000)
      default: break
      }
    }
    return isStepped
  }

  @Test func everythingIsCountedAndNothingClicksOnThreeHundredNetworks() {
    for seed in Seeds.first(320) {
      var random = SplitMix64(seed: seed &* 977)
      let settings = Self.settings(seed: seed)
      let scenario = StreamScenario(settings)
      let isStepped = Self.live(scenario, random: &random)
      let statistics = scenario.stream.statistics
      #expect(ScenarioTests.isBalanced(statistics), "seed \(seed): \(statistics)")
      #expect(statistics.lost >= 0, "seed \(seed): \(statistics)")
      let missing =
        scenario.link.lostCount + scenario.link.underWayCount + scenario.outdatedCount
      #expect(statistics.lost <= missing, "seed \(seed): \(statistics)")
      #expect(scenario.underruns == 0, "seed \(seed)")
      #expect(statistics.decoderErrors == 0, "seed \(seed)")
      let bound = settings.stream.playoutDelayMaximumNanoseconds
      #expect(statistics.playoutDelayNanoseconds <= bound + 1_000_000, "seed \(seed)")
      #expect(isStepped || scenario.greatestStep <= 0.06, "seed \(seed): \(scenario.greatestStep)")
    }
  }

  @Test func twoRunsOfTheSameSeedAreTheSame() {
    let runs = (0..<2).map { _ in
      var random = SplitMix64(seed: 5)
      let scenario = StreamScenario(Self.settings(seed: 42))
      Self.live(scenario, random: &random)
      return scenario.stream.statistics
    }
    #expect(runs[0] == runs[1])
  }
}
