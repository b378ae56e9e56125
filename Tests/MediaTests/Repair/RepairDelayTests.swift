import Testing

@testable import Media

/// How long a receiver waits for repairs.
@Suite struct RepairDelayTests {
  private static let packetNanoseconds: Int64 = 10_000_000
  private static let turnaroundNanoseconds: Int64 = 5_000_000

  private var patience = RepairDelay(boundNanoseconds: 50_000_000)
  private var now: Int64 = 0

  /// Packets of 10 ms come; before each, as many are missed as `missed` says of its number.
  private mutating func receive(
    seconds: Double, turnaround: Int64? = Self.turnaroundNanoseconds, missed: (Int) -> Int
  ) {
    for number in 0..<Int(seconds * 100) {
      now += Self.packetNanoseconds
      patience.note(missed: missed(number), frames: 480)
      patience.judge(frames: 480, turnaroundNanoseconds: turnaround, nowNanoseconds: now)
    }
  }

  @Test mutating func withoutLossNothingIsWaitedFor() {
    receive(seconds: 5) { _ in 0 }
    #expect(patience.delayNanoseconds == 0)
  }

  @Test mutating func withoutAKnownWayNothingIsWaitedFor() {
    receive(seconds: 5, turnaround: nil) { $0 % 10 == 0 ? 1 : 0 }
    #expect(patience.delayNanoseconds == 0)
  }

  /// Each time takes 5 ms of turnaround and 3 of slack, after the 10 until the loss is noticed.
  @Test(arguments: [(100, 18), (20, 26), (10, 34), (6, 42)])
  mutating func theMoreIsLostTheMoreOftenIsAsked(packetsPerLoss: Int, milliseconds: Int64) {
    receive(seconds: 20) { $0 % packetsPerLoss == 0 ? 1 : 0 }
    #expect(patience.delayNanoseconds == milliseconds * 1_000_000)
  }

  @Test mutating func aLittleLongerIsWaitedForOnlyWhenItGetsMore() {
    let isMissed = { (number: Int) in number % 10 == 0 ? 1 : 0 }
    receive(seconds: 20, missed: isMissed)
    receive(seconds: 20, turnaround: 6_000_000, missed: isMissed)
    #expect(patience.delayNanoseconds == 34_000_000 && patience.spareNanoseconds == 0)
    receive(seconds: 20, turnaround: 7_000_000, missed: isMissed)
    #expect(patience.delayNanoseconds == 40_000_000)
    receive(seconds: 20, turnaround: 6_000_000, missed: isMissed)
    #expect(patience.delayNanoseconds == 40_000_000 && patience.spareNanoseconds == 0)
  }

  @Test mutating func burstsAreWaitedForToTheirEnd() {
    receive(seconds: 20) { $0 % 60 == 0 ? 3 : 0 }
    // Seven packets, and as often as the bound for bursts allows.
    #expect(patience.delayNanoseconds == 70_000_000 + 2 * 8_000_000)
  }

  @Test mutating func burstsTooLongToBeWaitedForLeaveTimeForTheirEnd() {
    receive(seconds: 20, turnaround: 30_000_000) { $0 % 60 == 0 ? 3 : 0 }
    // Of three packets four are waited for, as seven are too many; while they seemed to be of two, five.
    #expect(patience.delayNanoseconds == 50_000_000 + 33_000_000)
    receive(seconds: 60, turnaround: 30_000_000) { $0 % 60 == 0 ? 3 : 0 }
    #expect(patience.delayNanoseconds == 40_000_000 + 33_000_000)
  }

  @Test mutating func oneGapIsNoBurstyLink() {
    receive(seconds: 2) { $0 == 100 ? 6 : 0 }
    #expect(patience.delayNanoseconds <= 26_000_000)
  }

  @Test mutating func whoMayNotWaitDoesNot() {
    patience = RepairDelay(boundNanoseconds: 0)
    receive(seconds: 20) { $0 % 60 == 0 ? 3 : 0 }
    #expect(patience.delayNanoseconds == 0)
  }

  @Test mutating func whatIsSpareIsTakenInSilenceAfterAWhileAndAnywhereLater() {
    receive(seconds: 20) { $0 % 10 == 0 ? 1 : 0 }
    let delay = patience.delayNanoseconds
    // The loss ends, and is forgotten within some seconds.
    receive(seconds: 14) { _ in 0 }
    #expect(patience.delayNanoseconds == delay && patience.spareNanoseconds == 0)
    receive(seconds: 16) { _ in 0 }
    #expect(patience.spareNanoseconds == delay)
    patience.shorten(byNanoseconds: 10_000_000)
    #expect(patience.delayNanoseconds == delay - 10_000_000)
    #expect(patience.spareNanoseconds == delay - 10_000_000)
    patience.shorten(byNanoseconds: .max)
    #expect(patience.delayNanoseconds == 0 && patience.spareNanoseconds == 0)
  }

  /// Two seconds, an eighth lost in bursts: afterwards copies may go on coming, as the sender knows it later.
  private mutating func weatherAStorm() {
    receive(seconds: 2) { $0 % 24 == 0 ? 3 : 0 }
  }

  @Test mutating func aStormIsForgottenSoonThoughNobodyPauses() {
    receive(seconds: 20) { _ in 0 }
    weatherAStorm()
    let delay = patience.delayNanoseconds
    #expect(delay >= 50_000_000)
    receive(seconds: 5) { _ in 0 }
    #expect(patience.delayNanoseconds == delay && patience.spareNanoseconds == 0)
    for _ in 0..<20 {
      patience.noteCopies(frames: 1440, arrivalNanoseconds: now)
      receive(seconds: 0.1) { _ in 0 }
    }
    #expect(patience.delayNanoseconds == delay && patience.spareNanoseconds == delay)
    receive(seconds: 3) { _ in 0 }
    #expect(patience.delayNanoseconds == 0)
  }

  /// One burst every seven seconds is no storm each time.
  @Test mutating func whatIsLostNowAndThenIsNoStorm() {
    weatherAStorm()
    var changes = 0
    for _ in 0..<20 {
      let delay = patience.delayNanoseconds
      receive(seconds: 7) { $0 == 0 ? 1 : 0 }
      if patience.delayNanoseconds < delay { changes += 1 }
    }
    #expect(changes <= 1)
  }

  @Test mutating func whoNeverPausesIsCutOnce() {
    receive(seconds: 20) { $0 % 10 == 0 ? 1 : 0 }
    receive(seconds: 65) { _ in 0 }
    #expect(patience.delayNanoseconds == 0)
  }
}
