import Media
import RTP
import TestKit
import Testing

/// Properties of repair that hold on any network; a failure prints the seed.
@Suite struct RandomRepairTests {
  private static func settings(seed: UInt64) -> RepairScenario.Settings {
    var random = SplitMix64(seed: seed &* 7919)
    var settings = RepairScenario.Settings()
    settings.seed = seed
    settings.framesPerPacket = [120, 240, 480, 960, 1920, 2880][Int(random.next() % 6)]
    settings.periodFrames = [64, 128, 256, 1024][Int(random.next() % 4)]
    settings.asks = random.chance(0.7)
    settings.recipe = recipe(&random)
    settings.link.delayNanoseconds = Int64(random.unit() * 40_000_000)
    settings.backLink.delayNanoseconds = Int64(random.unit() * 40_000_000)
    settings.link.loss = random.chance(0.7) ? random.unit() * 0.3 : 0
    if random.chance(0.3) { settings.link.bursts = .init(share: 0.1, meanLength: 3) }
    settings.link.duplication = random.chance(0.3) ? 0.1 : 0
    settings.link.reorder = random.chance(0.3) ? 0.1 : 0
    settings.link.jitter =
      random.chance(0.5) ? .uniform(nanoseconds: Int64(random.unit() * 20_000_000)) : .none
    settings.backLink.loss = random.chance(0.5) ? random.unit() * 0.3 : 0
    settings.stream.playoutDelayMaximumNanoseconds = 20_000_000 + Int64(random.unit() * 1e8)
    return settings
  }

  private static func recipe(_ random: inout SplitMix64) -> RepairRecipe {
    let near = Int(random.next() % 5)
    let far = near < 4 && random.chance(0.5) ? near + 1 + Int(random.next() % UInt64(4 - near)) : 0
    return RepairRecipe(
      primary: random.chance(0.2) ? .lean : .full, copies: random.chance(0.5) ? .lean : .full,
      nearDistance: near, farDistance: near == 0 ? 0 : far)
  }

  @Test func everythingIsCountedAndBoundedOnTwoHundredNetworks() {
    for seed in Seeds.first(200) {
      var random = SplitMix64(seed: seed)
      let settings = Self.settings(seed: seed)
      let scenario = RepairScenario(settings)
      for _ in 0..<4 {
        scenario.run(milliseconds: 1000)
        if random.chance(0.5) { scenario.recipe = Self.recipe(&random) }
        if random.chance(0.3) { scenario.link.model.loss = random.unit() * 0.3 }
      }
      let statistics = scenario.stream.statistics
      #expect(
        statistics.received + statistics.repaired
          == statistics.played + statistics.notices + statistics.late + statistics.duplicate
          + statistics.discarded.total + statistics.buffered, "seed \(seed): \(statistics)")
      #expect(statistics.lost >= 0, "seed \(seed): \(statistics)")
      #expect(
        statistics.overtaken <= statistics.repaired
          && statistics.repairedByResending <= statistics.repaired, "seed \(seed): \(statistics)")
      #expect(statistics.decoderErrors == 0, "seed \(seed)")
      let bound = settings.stream.playoutDelayMaximumNanoseconds
      #expect(statistics.playoutDelayNanoseconds <= bound + 1_000_000, "seed \(seed)")
      #expect(scenario.greatestStep <= 0.06, "seed \(seed): \(scenario.greatestStep)")
      // A second's share of answers, and the bucket.
      #expect(scenario.talker.counters.resentPackets <= 4 * 30 + 17, "seed \(seed)")
      let summary = scenario.remotePattern.summary(packets: 4096)
      #expect(summary.packets == 0 || summary.lost <= summary.packets, "seed \(seed)")
    }
  }

  @Test func twoRunsOfTheSameSeedAreTheSame() {
    let runs = (0..<2).map { _ in
      let scenario = RepairScenario(Self.settings(seed: 21))
      scenario.run(milliseconds: 5000)
      return scenario.stream.statistics
    }
    #expect(runs[0] == runs[1])
  }
}
