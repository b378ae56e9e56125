import Media
import TestKit
import Testing

/// Properties that hold on any network, machine and talker; a failure prints the seed.
///
/// 2000 seeds; more by `COMLINK_SEEDS=4000 ./dev test --filter Random`.
@Suite struct RandomNetworkTests {
  @Test func `everything is counted and nothing clicks on thousands of networks`() {
    for seed in Seeds.many(2000) {
      let life = RandomLife(seed: seed)
      life.live()
      let (scenario, statistics) = (life.scenario, life.scenario.stream.statistics)
      #expect(ScenarioTests.isBalanced(statistics), "seed \(seed): \(statistics)")
      #expect(statistics.lost >= 0, "seed \(seed): \(statistics)")
      let missing =
        scenario.link.lostCount + scenario.link.underWayCount + scenario.outdatedCount
      #expect(statistics.lost <= missing, "seed \(seed): \(missing), \(statistics)")
      #expect(scenario.underruns == 0, "seed \(seed)")
      #expect(statistics.decoderErrors == 0, "seed \(seed)")
      #expect(life.mostBeyondBound == nil, "seed \(seed): \(life.settings)")
      let bound = life.settings.stream.playoutDelayMaximumNanoseconds
      #expect(statistics.playoutDelayNanoseconds <= bound + 1_000_000, "seed \(seed)")
      #expect(scenario.greatestStep <= 0.06, "seed \(seed): \(scenario.greatestStep)")
      guard life.canBePunctual, let before = life.recovered else { continue }
      #expect(statistics.lost == before.lost, "seed \(seed)")
      let late = statistics.late - before.late
      #expect(late <= life.excusedPackets, "seed \(seed): \(life.settings)")
      let concealed = statistics.concealedFrames - before.concealedFrames
      #expect(
        concealed <= life.excusedPackets * life.settings.framesPerPacket,
        "seed \(seed): \(life.settings)")
      #expect(statistics.played > before.played, "seed \(seed)")
    }
  }

  @Test func `two runs of the same seed are the same`() {
    for seed: UInt64 in [42, 60] {
      let runs = (0..<2).map { _ in
        let life = RandomLife(seed: seed)
        life.live()
        return life.scenario.stream.statistics
      }
      #expect(runs[0] == runs[1])
    }
  }
}
