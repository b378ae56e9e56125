import TestKit
import Testing

@testable import Media

@Suite struct CongestionWatchTests {
  /// A way with a queue in front of a rate, and a report a second.
  private struct Way {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var capacity = 64_000.0
    var queueBits = 0.0
    var queueSeconds = 0.2
    var roundTripNanoseconds: Int64 = 20_000_000
    var now: Int64 = 0
    var budgets: [Int] = []

    /// The way is known from reports before the first sound.
    init() {
      watch.observe(
        roundTripNanoseconds: 20_000_000, riseBackNanoseconds: 0, lostShare: 0,
        sentBitsPerSecond: 0, nowNanoseconds: 0)
    }

    mutating func pass(seconds: Int) {
      for _ in 0..<seconds {
        now += 1_000_000_000
        let payload = min(64_000, watch.budgetBitsPerSecond)
        let wire = Double(payload) + 38_400
        let most = capacity * queueSeconds
        queueBits = max(0, queueBits + wire - capacity)
        let lost = max(0, queueBits - most) / wire
        queueBits = min(queueBits, most)
        watch.observe(
          roundTripNanoseconds: roundTripNanoseconds + Int64(queueBits / capacity * 1e9),
          riseBackNanoseconds: 0, lostShare: lost, sentBitsPerSecond: payload, nowNanoseconds: now)
        budgets.append(payload)
      }
    }
  }

  @Test func `the rate falls to what comes through and stays there`() {
    var way = Way()
    way.pass(seconds: 300)
    #expect(way.watch.isReduced)
    let settled = way.budgets.suffix(280)
    #expect(settled.allSatisfy { (12_000...32_000).contains($0) }, "\(way.budgets)")
    // Probes become rare.
    let turns = zip(settled, settled.dropFirst()).count { $0 != $1 }
    #expect(turns <= 12, "\(way.budgets)")
    #expect(way.budgets[..<10].contains { $0 < 26_000 }, "\(way.budgets)")
  }

  /// A queue that is always full lets hardly a report through.
  @Test(arguments: [(0.5, true), (0.2, false)])
  func `much loss without answers is taken for congestion`(lostShare: Double, isReduced: Bool) {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    for second in 0..<6 {
      watch.observe(
        roundTripNanoseconds: 20_000_000, isNew: second == 0, riseBackNanoseconds: 0,
        lostShare: lostShare, sentBitsPerSecond: 64_000,
        nowNanoseconds: Int64(second) * 1_000_000_000)
    }
    #expect(watch.isReduced == isReduced)
  }

  /// Whoever meets over a queue that is full knows no shorter way, and loss is all there is to see.
  @Test func `a queue that was full from the beginning is found by what it loses`() {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var losses: [Double] = []
    for second in 0..<8 {
      // Copies, as for a radio that loses, until there is a budget.
      let payload = watch.isReduced ? min(32_000, watch.budgetBitsPerSecond) : 71_000
      let lost = max(0, 1 - 64_000 / (Double(payload) + 38_400))
      losses.append(lost)
      watch.observe(
        roundTripNanoseconds: lost > 0 ? 270_000_000 : 20_000_000, riseBackNanoseconds: 0,
        lostShare: lost, sentBitsPerSecond: payload, nowNanoseconds: Int64(second) * 1_000_000_000)
    }
    #expect(losses.suffix(4).allSatisfy { $0 == 0 }, "\(losses)")
    #expect(watch.isReduced)
  }

  /// A radio loses as much of less.
  @Test func `much loss that less does not mend is no congestion`() {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var reduced = 0
    for second in 0..<120 {
      watch.observe(
        roundTripNanoseconds: 20_000_000, riseBackNanoseconds: 0, lostShare: 0.4,
        sentBitsPerSecond: min(71_000, watch.budgetBitsPerSecond),
        nowNanoseconds: Int64(second) * 1_000_000_000)
      if watch.isReduced { reduced += 1 }
    }
    #expect((1...5).contains(reduced) && !watch.isReduced, "\(reduced) s")
  }

  /// A spike once in four reports, just after less was begun.
  @Test func `spikes amid much loss leave no less behind`() {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var reduced = 0
    for second in 0..<300 {
      watch.observe(
        roundTripNanoseconds: second % 4 == 3 ? 120_000_000 : 20_000_000, riseBackNanoseconds: 0,
        lostShare: 0.4, sentBitsPerSecond: min(71_000, watch.budgetBitsPerSecond),
        nowNanoseconds: Int64(second) * 1_000_000_000)
      if watch.isReduced { reduced += 1 }
    }
    #expect(reduced < 10 && !watch.isReduced, "\(reduced) s")
  }

  /// The talker sends less than it may, and then takes a step that is too much.
  @Test func `a step too far is taken back to what was proven`() {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    for second in 0..<14 {
      let isTooMuch = second >= 10
      watch.observe(
        roundTripNanoseconds: isTooMuch ? 200_000_000 : 20_000_000, riseBackNanoseconds: 0,
        lostShare: 0, sentBitsPerSecond: isTooMuch ? 64_000 : 10_000,
        nowNanoseconds: Int64(second) * 1_000_000_000)
    }
    #expect(watch.wayBitsPerSecond == 48_400)
  }

  /// With two reports of patience it would be unheard for twice as long.
  @Test(arguments: [(200_000_000, 0), (20_000_000, 0.3)] as [(Int64, Double)])
  func `what is only tried is given up at the first sign`(
    roundTripNanoseconds: Int64, lateShare: Double
  ) {
    var way = Way()
    way.pass(seconds: 30)
    way.capacity = 1e6
    way.pass(seconds: 10)
    var watch = way.watch
    let good = watch.budgetBitsPerSecond
    var second: Int64 = 40
    // What is proven is tried to be surpassed sooner or later.
    while watch.budgetBitsPerSecond == good, second < 400 {
      second += 1
      watch.observe(
        roundTripNanoseconds: 20_000_000, riseBackNanoseconds: 0, lostShare: 0,
        sentBitsPerSecond: good, nowNanoseconds: second * 1_000_000_000)
    }
    let tried = watch.budgetBitsPerSecond
    #expect(tried > good)
    let isSoon = watch.isFailing(sentBitsPerSecond: tried, lateShare: lateShare)
    #expect(isSoon == (lateShare > 0), "early reports are for packets that are late")
    watch.observe(
      roundTripNanoseconds: roundTripNanoseconds, riseBackNanoseconds: 0, lostShare: 0,
      lateShare: lateShare, sentBitsPerSecond: tried, nowNanoseconds: second * 1_000_000_000)
    #expect(watch.budgetBitsPerSecond <= good)
    #expect(!watch.isFailing(sentBitsPerSecond: good, lateShare: 1), "that has proven itself")
  }

  @Test func `when the way is free again so is the rate`() {
    var way = Way()
    way.pass(seconds: 30)
    #expect(way.watch.isReduced)
    way.capacity = 1e6
    way.pass(seconds: 300)
    #expect(!way.watch.isReduced && way.watch.budgetBitsPerSecond == 96_000, "\(way.budgets)")
  }

  /// Roaming, or somebody else's queue: sending less does not make it shorter.
  @Test(arguments: [60, 100, 300] as [Int64])
  func `a way that gets longer for good is not taken for a queue`(milliseconds: Int64) {
    var way = Way()
    way.capacity = 1e6
    way.pass(seconds: 60)
    way.roundTripNanoseconds += milliseconds * 1_000_000
    way.pass(seconds: 12)
    let isReduced = way.watch.isReduced
    #expect(!isReduced, "\(way.budgets)")
    way.pass(seconds: 300)
    let after = way.budgets.suffix(300)
    #expect(after.allSatisfy { $0 == 64_000 }, "\(way.budgets)")
    // And a queue on the longer way is one.
    way.capacity = 64_000
    way.pass(seconds: 60)
    #expect(way.budgets.suffix(50).allSatisfy { $0 <= 32_000 }, "\(way.budgets)")
  }

  /// What gets lost there is not the path's doing: even the least is too much.
  @Test func `a way narrower than the least is not taken for a long one`() {
    var way = Way()
    way.capacity = 16_000
    way.pass(seconds: 120)
    #expect(way.budgets.suffix(110).allSatisfy { $0 < 32_000 }, "\(way.budgets)")
  }

  @Test func `spikes and loss alone are no congestion`() {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var random = SplitMix64(seed: 4)
    for second in 1...600 {
      let spike = second % 7 == 0 ? Int64(100_000_000) : 0
      watch.observe(
        roundTripNanoseconds: 6_000_000 + Int64(random.unit() * 30_000_000) + spike,
        riseBackNanoseconds: 0, lostShare: 0.2, sentBitsPerSecond: 96_000,
        nowNanoseconds: Int64(second) * 1_000_000_000)
      #expect(!watch.isReduced)
    }
  }

  /// The peer talks, or is quiet and sends but signs of life.
  @Test(arguments: [10, 400] as [Int64])
  func `a queue on the way back is not ours`(packetMilliseconds: Int64) {
    var watch = CongestionWatch(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var isReduced = false
    var back = SmoothedTransit()
    var random = SplitMix64(seed: 8)
    for millisecond in stride(
      from: packetMilliseconds, through: 60_000, by: Int(packetMilliseconds))
    {
      let now = millisecond * 1_000_000
      let rise: Int64 = now > 10_500_000_000 ? 180_000_000 : 0
      back.add(rise + Int64(random.unit() * 10e6), nowNanoseconds: now)
      guard millisecond % 1000 < packetMilliseconds else { continue }
      watch.observe(
        roundTripNanoseconds: 10_000_000 + rise, riseBackNanoseconds: back.riseNanoseconds,
        lostShare: 0, sentBitsPerSecond: 64_000, nowNanoseconds: now)
      isReduced = isReduced || watch.isReduced
    }
    #expect(!isReduced)
  }

  /// Any way, any moment: the budget stays within its bounds.
  @Test func `the budget stays within its bounds`() {
    for seed in Seeds.first(200) {
      var random = SplitMix64(seed: seed)
      let bound = 12_000 + Int(random.next() % 200_000)
      let frames = [120, 240, 480, 960, 1920, 2880][Int(random.next() % 6)]
      var watch = CongestionWatch(boundBitsPerSecond: bound, framesPerPacket: frames)
      for second in 1...200 {
        watch.observe(
          roundTripNanoseconds: Int64(random.unit() * random.unit() * 1e9),
          riseBackNanoseconds: Int64(random.unit() * 1e8) - 10_000_000, lostShare: random.unit(),
          sentBitsPerSecond: min(bound, watch.budgetBitsPerSecond),
          nowNanoseconds: Int64(second) * 1_000_000_000)
        #expect((12_000...bound).contains(watch.budgetBitsPerSecond), "seed \(seed)")
      }
    }
  }
}
