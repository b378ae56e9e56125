import Media
import TestKit
import Testing

/// How many packets an automatic playout delay lets come too late, on a link that jitters evenly.
@Suite struct LateRateTests {
  private static let seeds: ClosedRange<UInt64> = 1...4
  private static let settlingMilliseconds = 40_000
  private static let milliseconds = 100_000
  private static let sigmaNanoseconds: Int64 = 2_000_000

  /// What was counted once the delay had settled.
  private struct Outcome {
    var received = 0
    var late = 0
    var splices = 0
    var playoutDelays: [Int64] = []

    var latePercent: Double { 100 * Double(late) / Double(received) }
    var medianNanoseconds: Int64 { playoutDelays.sorted()[playoutDelays.count / 2] }

    mutating func add(_ before: PeerStreamStatistics, _ after: PeerStreamStatistics) {
      received += after.received - before.received
      late += after.late - before.late
      splices += after.insertions + after.removals - before.insertions - before.removals
    }
  }

  private static func outcome(frames: Int) -> Outcome {
    var outcome = Outcome()
    for seed in seeds {
      var settings = ScenarioSettings()
      settings.framesPerPacket = frames
      settings.senderPhaseNanoseconds = Int64(seed) * 190_000
      // So long that no delay is cut off at 0.
      settings.link.delayNanoseconds = 20_000_000
      settings.link.jitter = .gaussian(nanoseconds: sigmaNanoseconds)
      settings.seed = seed
      let scenario = StreamScenario(settings)
      scenario.observes = false
      scenario.run(milliseconds: settlingMilliseconds)
      let settled = scenario.stream.statistics
      for _ in 0..<milliseconds / 500 {
        scenario.run(milliseconds: 500)
        outcome.playoutDelays.append(scenario.stream.statistics.playoutDelayNanoseconds)
      }
      outcome.add(settled, scenario.stream.statistics)
    }
    return outcome
  }

  /// Who follows each two seconds' need down has 0.54 to 0.8 % late, and splices once a second or twice.
  @Test(arguments: [120, 240, 480, 960])
  func `no more packets are late than are wanted though nobody chases the jitter`(frames: Int) {
    let outcome = Self.outcome(frames: frames)
    let minutes = Double(Self.seeds.count * Self.milliseconds) / 60_000
    #expect(outcome.latePercent < 0.5, "of \(outcome.received), seeds \(Self.seeds)")
    #expect(outcome.latePercent > 0.05, "less delay would do")
    #expect(Double(outcome.splices) / minutes < 40, "seeds \(Self.seeds)")
    // 2.6 sigma leave 0.5 %; and a period for the beats.
    #expect(outcome.medianNanoseconds < 3 * Self.sigmaNanoseconds + 1_330_000)
  }
}
