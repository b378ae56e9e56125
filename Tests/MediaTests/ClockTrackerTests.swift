import TestKit
import Testing

@testable import Media

/// The loop that filters time, alone: readings of another clock each 5 ms.
@Suite struct ClockTrackerTests {
  private struct Readings {
    var tracker: ClockTracker
    var now: Int64 = 1_000_000_000_000
    var lag = -7e14
    var ppm = 0.0
    var noiseNanoseconds = 0.0
    var random: TestKit.SplitMix64

    init(seed: UInt64 = 1, isNear: Bool = false) {
      tracker = ClockTracker(isNear: isNear)
      random = TestKit.SplitMix64(seed: seed)
    }

    mutating func run(seconds: Double) {
      for _ in 0..<Int(seconds * 200) {
        now += 5_000_000
        lag -= 5 * ppm
        let late = random.unit() * noiseNanoseconds
        tracker.observe(lagNanoseconds: Int64(lag + late), at: now)
      }
    }

    /// How wrong the rate is, in parts per million.
    var errorPPM: Double { tracker.rate * -1e6 - ppm }
    var doubtPPM: Double { tracker.rateVariance.squareRoot() * 1e6 }
  }

  @Test(arguments: [-3000.0, -100, 0, 1, 100, 3000], [true, false])
  func `a rate is found`(ppm: Double, isNear: Bool) {
    var readings = Readings(isNear: isNear)
    readings.ppm = ppm
    readings.run(seconds: 4)
    #expect(abs(readings.errorPPM) < 0.5)
    #expect(readings.doubtPPM < 5 && readings.tracker.isExperienced)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
  func `noise is taken for noise`(seed: UInt64) {
    var readings = Readings(seed: seed)
    readings.ppm = 80
    readings.noiseNanoseconds = 4_000_000
    readings.run(seconds: 60)
    #expect(abs(readings.errorPPM) < 12, "\(readings.errorPPM), seed \(seed)")
    #expect(abs(readings.errorPPM) < 5 * readings.doubtPPM)
  }

  @Test(arguments: [-40e6, -1.3e6, -2e5, 2e5, 1.3e6, 40e6])
  func `a step leaves the rate alone`(nanoseconds: Double) {
    var readings = Readings()
    readings.ppm = -60
    readings.noiseNanoseconds = 100_000
    readings.run(seconds: 20)
    for _ in 0..<20 {
      readings.lag += nanoseconds
      for _ in 0..<20 {
        readings.run(seconds: 0.1)
        #expect(abs(readings.errorPPM) < 6, "\(readings.errorPPM)")
      }
    }
  }

  /// As the time line of a late dummy driver does: 1300 ppm in all, of which few are believed.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `steps of any size twice a second leave the rate alone`(seed: UInt64) {
    var readings = Readings(seed: seed, isNear: true)
    readings.ppm = 45
    readings.noiseNanoseconds = 20_000
    for second in 0..<120 {
      for _ in 0..<2 {
        readings.run(seconds: 0.3 + 0.4 * readings.random.unit())
        readings.lag += readings.random.unit() * 1.3e6
      }
      guard second > 20 else { continue }
      #expect(abs(readings.errorPPM) < 150, "\(readings.errorPPM), seed \(seed)")
    }
  }

  @Test(arguments: [-600.0, -100, 100, 600])
  func `another rate is found within two seconds`(ppm: Double) {
    var readings = Readings()
    readings.noiseNanoseconds = 20_000
    readings.run(seconds: 60)
    readings.ppm = ppm
    readings.run(seconds: 2)
    #expect(abs(readings.errorPPM) < 20, "\(readings.errorPPM)")
    readings.run(seconds: 5)
    #expect(abs(readings.errorPPM) < 2, "\(readings.errorPPM)")
  }

  @Test func `a small change is found too`() {
    var readings = Readings()
    readings.noiseNanoseconds = 20_000
    readings.run(seconds: 60)
    readings.ppm = 8
    readings.run(seconds: 60)
    #expect(abs(readings.errorPPM) < 2, "\(readings.errorPPM)")
  }

  @Test func `a storm is forgotten`() {
    var readings = Readings()
    readings.ppm = 30
    readings.noiseNanoseconds = 100_000
    readings.run(seconds: 30)
    readings.noiseNanoseconds = 60_000_000
    readings.run(seconds: 2)
    #expect(abs(readings.errorPPM) < 5, "\(readings.errorPPM)")
    readings.noiseNanoseconds = 100_000
    readings.run(seconds: 10)
    #expect(abs(readings.errorPPM) < 3, "\(readings.errorPPM)")
  }

  @Test func `nothing overflows on any reading`() {
    var random = TestKit.SplitMix64(seed: 9)
    var tracker = ClockTracker(isNear: false)
    var now: Int64 = 0
    for _ in 0..<200_000 {
      now += Int64(random.unit() * 1e10)
      let reading = Int64((random.unit() - 0.5) * 4e18)
      tracker.observe(lagNanoseconds: reading, at: now)
      #expect(abs(tracker.rate) <= 5e-3 && tracker.rateVariance >= 0)
    }
  }
}
