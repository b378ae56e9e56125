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

  /// As in `RandomLife`: what the machines alone need.
  private static func canBePunctual(_ settings: RepairScenario.Settings) -> Bool {
    let frames = 2 * settings.periodFrames + settings.framesPerPacket
    return Int64(frames) * 62_500 / 3 + 3_000_000 < settings.stream.playoutDelayMaximumNanoseconds
  }

  /// Lets a network, its ways of repair and its losses change; returns the longest playout delay.
  private static func live(_ scenario: RepairScenario, random: inout SplitMix64) -> Int64 {
    var most: Int64 = 0
    let seconds = random.chance(0.05) ? 15 + Int(random.next() % 15) : 4
    for _ in 0..<seconds {
      for _ in 0..<50 {
        scenario.run(milliseconds: 20)
        most = max(most, scenario.stream.statistics.playoutDelayNanoseconds)
      }
      if random.chance(0.5) { scenario.recipe = recipe(&random) }
      if random.chance(0.3) { scenario.link.model.loss = random.unit() * 0.3 }
      if seconds > 4 && random.chance(0.2) {
        scenario.link.model.jitter = .wifi(random.chance(0.3) ? .storm : WiFi())
      }
    }
    return most
  }

  /// 1000 seeds; more by `COMLINK_SEEDS`, as in `RandomNetworkTests`.
  @Test func `everything is counted and bounded on a thousand networks`() {
    for seed in Seeds.many(1000) {
      var random = SplitMix64(seed: seed)
      let settings = Self.settings(seed: seed)
      let scenario = RepairScenario(settings)
      let most = Self.live(scenario, random: &random)
      scenario.link.model = LinkModel()
      scenario.link.model.delayNanoseconds = settings.link.delayNanoseconds
      scenario.run(milliseconds: 2400)
      let recovered = scenario.stream.statistics
      scenario.run(milliseconds: 1000)
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
      #expect(most <= bound + 1_000_000, "seed \(seed): \(most)")
      #expect(scenario.greatestStep <= 0.06, "seed \(seed): \(scenario.greatestStep)")
      // A second's share of answers, and the bucket.
      let seconds = Int(scenario.nowNanoseconds / 1_000_000_000) + 1
      #expect(scenario.talker.counters.resentPackets <= seconds * 30 + 17, "seed \(seed)")
      let summary = scenario.remotePattern.summary(packets: 4096)
      #expect(summary.packets == 0 || summary.lost <= summary.packets, "seed \(seed)")
      guard Self.canBePunctual(settings) else { continue }
      let unheard = [
        statistics.lost - recovered.lost, statistics.late - recovered.late,
        statistics.concealedFrames - recovered.concealedFrames,
      ]
      #expect(unheard == [0, 0, 0], "seed \(seed): \(settings)")
    }
  }

  @Test func `two runs of the same seed are the same`() {
    let runs = (0..<2).map { _ in
      let scenario = RepairScenario(Self.settings(seed: 21))
      scenario.run(milliseconds: 5000)
      return scenario.stream.statistics
    }
    #expect(runs[0] == runs[1])
  }
}
