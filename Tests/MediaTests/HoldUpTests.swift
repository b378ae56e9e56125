import Media
import TestKit
import Testing

/// A stream whose packets all come, each by the sooner of two connections that stand still where one of theirs is lost.
@Suite struct HoldUpTests {
  private static let seeds: ClosedRange<UInt64> = 1...3
  private static let (settlingPackets, packets) = (2000, 14_000)
  /// What is sent behind a lost packet tells of it, and the answer takes a round trip.
  private static let repairMilliseconds = 20.0
  private static let loss = 0.02

  /// When each packet of 10 ms comes by a connection, in order; 0: as it was sent.
  private static func arrivals(_ random: inout SplitMix64) -> [Double] {
    var (arrivals, latest): ([Double], Double) = ([], 0)
    for index in 0..<packets {
      var arrival = Double(index) * 10 + .random(in: 0..<0.5, using: &random)
      while random.chance(loss) { arrival += repairMilliseconds }
      latest = max(latest, arrival)
      arrivals.append(latest)
    }
    return arrivals
  }

  /// Percent of what was played that was made up, and the playout delay in ms.
  private static func outcome(
    _ prepare: (PeerStream) -> Void
  ) -> (madeUp: Double, delay: Double) {
    let forge = PacketForge(durationFrames: 480)
    var (madeUp, delay) = (0.0, 0.0)
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      let (one, other) = (arrivals(&random), arrivals(&random))
      let probe = StreamProbe()
      prepare(probe.stream)
      var before = 0
      for index in 0..<packets {
        if index == settlingPackets { before = probe.statistics.concealedFrames }
        let arrival = min(one[index], other[index])
        probe.play(untilMilliseconds: arrival)
        probe.receive(forge.datagram(index), atMilliseconds: arrival)
      }
      madeUp += Double(probe.statistics.concealedFrames - before)
      delay += Double(probe.statistics.playoutDelayNanoseconds) / 1e6
    }
    let frames = Double(seeds.count * (packets - settlingPackets) * 480)
    return (100 * madeUp / frames, delay / Double(seeds.count))
  }

  @Test func `where packets are held up less than one in a thousand is made up`() {
    let usual = Self.outcome { _ in }
    let patient = Self.outcome { $0.expectHoldUps(lateShare: 0.0005) }
    print("held up: made up \(usual) as usual, \(patient) with patience")
    #expect(patient.madeUp <= 0.1, "\(patient) and \(usual), seeds \(Self.seeds)")
    #expect(usual.madeUp > 0.1, "\(patient) and \(usual), seeds \(Self.seeds)")
    #expect(patient.delay < Self.repairMilliseconds + 10)
  }
}
