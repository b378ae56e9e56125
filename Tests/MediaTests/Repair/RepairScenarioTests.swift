import Media
import RTP
import TestKit
import Testing

/// Copies and resends over links that lose, in virtual time.
@Suite struct RepairScenarioTests {
  private static func settings(
    loss: Double = 0, bursts: LinkModel.Bursts? = nil, seed: UInt64 = 1
  ) -> RepairScenario.Settings {
    var settings = RepairScenario.Settings()
    settings.link.loss = loss
    settings.link.bursts = bursts
    settings.link.delayNanoseconds = 3_000_000
    settings.backLink.delayNanoseconds = 3_000_000
    settings.seed = seed
    return settings
  }

  /// received + repaired = played + notices + late + duplicate + discarded + buffered.
  private static func isBalanced(_ statistics: PeerStreamStatistics) -> Bool {
    statistics.received + statistics.repaired
      == statistics.played + statistics.notices + statistics.late + statistics.duplicate
      + statistics.discarded.total + statistics.buffered
  }

  /// Share of the packets concealed after a beginning of 2 s.
  private static func residual(_ scenario: RepairScenario) -> Double {
    scenario.run(milliseconds: 2000)
    let before = scenario.stream.statistics
    scenario.run(milliseconds: 60_000)
    let after = scenario.stream.statistics
    #expect(isBalanced(after), "\(after)")
    #expect(after.decoderErrors == 0)
    return Double(after.lost - before.lost) / 6000
  }

  static let copies: [(RepairRecipe, loss: Double, residual: ClosedRange<Double>)] = [
    (.plain, 0.1, 0.09...0.11),
    (RepairRecipe(nearDistance: 1), 0.1, 0.007...0.013),
    (RepairRecipe(nearDistance: 3), 0.1, 0.007...0.013),
    (RepairRecipe(nearDistance: 1, farDistance: 2), 0.1, 0...0.003),
    (RepairRecipe(nearDistance: 1, farDistance: 2), 0.2, 0.005...0.011),
    (RepairRecipe(copies: .lean, nearDistance: 1, farDistance: 3), 0.2, 0.005...0.011),
  ]

  @Test(arguments: copies)
  func `copies leave what both lose`(
    recipe: RepairRecipe, loss: Double, residual: ClosedRange<Double>
  ) {
    var settings = Self.settings(loss: loss)
    settings.recipe = recipe
    let scenario = RepairScenario(settings)
    let left = Self.residual(scenario)
    #expect(residual.contains(left), "\(left)")
    let expected = 10_000_000 * Int64(recipe.greatestDistance)
    let delay = scenario.stream.statistics.playoutDelayNanoseconds
    #expect(delay > expected && delay < expected + 16_000_000, "\(delay)")
  }

  @Test func `in bursts spaced copies bring more than near ones`() {
    let bursts = LinkModel.Bursts(share: 0.1, meanLength: 3)
    let left = (1...3).map { distance in
      var settings = Self.settings(bursts: bursts)
      settings.recipe = RepairRecipe(nearDistance: distance)
      return Self.residual(RepairScenario(settings))
    }
    #expect(left[0] > 0.055 && left[1] < left[0] && left[2] < left[1] && left[2] < 0.045, "\(left)")
  }

  @Test(arguments: [(0.05, 0.003), (0.1, 0.004), (0.2, 0.025)])
  func `asking leaves little over short ways`(loss: Double, most: Double) {
    var settings = Self.settings(loss: loss)
    settings.backLink.loss = loss
    settings.asks = true
    let scenario = RepairScenario(settings)
    scenario.budget.packetsPerSecond = 50
    let left = Self.residual(scenario)
    #expect(left < most, "\(left)")
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 60_000_000)
    #expect(scenario.stream.statistics.repairedByResending > Int(loss * 4000))
    // A packet is asked for about as often as it and its answers are lost.
    let resent = Double(scenario.talker.counters.resentPackets) / 6200
    #expect(resent < 1.8 * loss, "\(resent)")
  }

  @Test func `over long ways nothing is asked for`() {
    var settings = Self.settings(loss: 0.05)
    settings.link.delayNanoseconds = 80_000_000
    settings.backLink.delayNanoseconds = 80_000_000
    settings.asks = true
    let scenario = RepairScenario(settings)
    #expect(Self.residual(scenario) > 0.04)
    #expect(scenario.talker.counters.resentPackets == 0)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 15_000_000)
  }

  @Test func `without loss nothing is asked for and nothing waits`() {
    var settings = Self.settings()
    settings.asks = true
    settings.link.jitter = .uniform(nanoseconds: 4_000_000)
    let scenario = RepairScenario(settings)
    #expect(Self.residual(scenario) == 0)
    #expect(scenario.requestDatagrams == 0)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 15_000_000)
  }

  @Test func `patience ends with the loss`() {
    var settings = Self.settings(loss: 0.1)
    settings.asks = true
    settings.recipe = RepairRecipe(nearDistance: 2)
    let scenario = RepairScenario(settings)
    scenario.run(milliseconds: 10_000)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds > 30_000_000)
    scenario.link.model.loss = 0
    scenario.recipe = .plain
    scenario.run(milliseconds: 70_000)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 15_000_000)
  }

  @Test func `the sender learns what was lost and what was heard`() {
    var settings = Self.settings(loss: 0.1)
    settings.recipe = RepairRecipe(nearDistance: 1)
    let scenario = RepairScenario(settings)
    scenario.run(milliseconds: 30_000)
    let summary = scenario.remotePattern.summary(packets: 2500)
    #expect(summary.packets == 2500)
    #expect(abs(summary.lostShare - 0.1) < 0.02, "\(summary)")
    #expect(summary.unheardShare < 0.02, "\(summary)")
    #expect(abs(summary.burstLength - 1.11) < 0.1, "\(summary)")
    let told = Double(scenario.remotePattern.total)
    #expect(told > 2800 && told <= 3000)
  }
}
