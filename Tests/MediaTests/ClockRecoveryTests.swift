import TestKit
import Testing

@testable import Media

/// Two clocks that differ, and a receiver that resamples: pitch, phase, delay and splices, over
/// minutes and hours of virtual time.
@Suite struct ClockRecoveryTests {
  /// A pair of machines and how far their clocks are apart.
  struct Case: CustomTestStringConvertible {
    var ppm: Double
    var frames = 120
    var periodFrames = 64
    var receiverPPM = 0.0
    var jitter = LinkModel.Jitter.none
    var seed: UInt64 = 1

    var testDescription: String {
      "\(ppm) ppm, \(frames)/\(periodFrames) frames, \(jitter), device \(receiverPPM), seed \(seed)"
    }

    var heardPPM: Double { ((1 + ppm * 1e-6) / (1 + receiverPPM * 1e-6) - 1) * 1e6 }

    func scenario() -> StreamScenario {
      var settings = ScenarioSettings()
      settings.senderDriftPPM = ppm
      settings.receiverDriftPPM = receiverPPM
      settings.framesPerPacket = frames
      settings.periodFrames = periodFrames
      settings.senderPhaseNanoseconds = 400_000
      settings.link.jitter = jitter
      settings.seed = seed
      let scenario = StreamScenario(settings)
      scenario.observes = false
      return scenario
    }
  }

  /// Everything that could be heard, counted.
  static func glitches(_ statistics: PeerStreamStatistics) -> Int {
    statistics.removals + statistics.insertions + statistics.jumps + statistics.starts
      + statistics.concealmentEvents
  }

  /// The pitch of the last ten seconds.
  static func pitchPPM(_ scenario: StreamScenario) -> Double {
    let blocks = scenario.meter.leads.count
    return scenario.meter.pitchPPM(blocks: blocks - 99..<blocks)
  }

  private static func surplusNanoseconds(_ scenario: StreamScenario) -> Int64 {
    scenario.stream.controller.surplusNanoseconds(offset: scenario.stream.offsetNanoseconds)
  }

  static let apart = [-2000.0, -500, -50, -5, 5, 50, 500, 2000]

  @Test(arguments: apart.map { Case(ppm: $0) } + apart.map { Case(ppm: $0, frames: 960) })
  func `it locks within ten seconds`(pair: Case) {
    let scenario = pair.scenario()
    scenario.run(milliseconds: 10_000)
    let statistics = scenario.stream.statistics
    #expect(statistics.isClockLocked && statistics.isResampled == (abs(pair.ppm) > 10))
    #expect(abs(statistics.driftPPM - pair.ppm) < 0.5, "\(statistics.driftPPM)")
    #expect(scenario.underruns == 0)
  }

  /// An hour by night, twenty minutes for a change; 3 where the tests are not optimised, and under a sanitizer.
  /// (`DriftTests` have a cheap hour that runs everywhere.)
  static let halfMinutes =
    _isDebugAssertConfiguration() || Seeds.areFew ? 6 : Seeds.areAll ? 120 : 40

  /// Of a change the first and the hardest.
  private static let hours =
    [Case(ppm: 500), Case(ppm: -500, frames: 960, periodFrames: 256)]
    + (Seeds.areAll
      ? [
        Case(ppm: -500), Case(ppm: 100, frames: 480, receiverPPM: -300),
        Case(ppm: 3, frames: 240),
      ] : [])

  @Test(arguments: hours)
  func `an hour passes without a glitch`(pair: Case) {
    let scenario = pair.scenario()
    // What is hardly there takes a minute to be believed.
    scenario.run(milliseconds: abs(pair.heardPPM) > 10 ? 15_000 : 80_000)
    let settled = scenario.stream.statistics
    scenario.greatestStep = 0
    let period = Int64(pair.periodFrames) * 62_500 / 3
    for _ in 0..<Self.halfMinutes {
      scenario.run(milliseconds: 30_000)
      #expect(abs(Self.pitchPPM(scenario) - pair.heardPPM) < 5)
      #expect(abs(Self.surplusNanoseconds(scenario)) < period)
      let delay = scenario.stream.statistics.playoutDelayNanoseconds
      #expect(abs(delay - settled.playoutDelayNanoseconds) < period)
    }
    let statistics = scenario.stream.statistics
    #expect(Self.glitches(statistics) == Self.glitches(settled))
    #expect(statistics.late == 0 && scenario.underruns == 0)
    #expect(scenario.greatestStep < 1.01 * ToneCodec.greatestStep(amplitude: 0.5))
    let begin = scenario.meter.leads.count - Self.halfMinutes * 290
    Self.expectStraight(scenario.meter.leads.dropFirst(begin), heardPPM: pair.heardPPM)
  }

  /// The phase never leaves the line of its pitch by more than a steering of 5 ppm explains.
  private static func expectStraight(_ leads: ArraySlice<Double>, heardPPM: Double) {
    let steps = zip(leads.dropFirst(), leads).map {
      ($0 - $1) / ToneMeter.blockSeconds * 1e6 - heardPPM
    }
    // One block's phase is good to some 0.1 microseconds: 2 ppm of it.
    #expect((steps.map(abs).max() ?? .infinity) < 8)
  }

  @Test(arguments: [-2000.0, 2000])
  func `far apart the delay is bounded for half an hour`(ppm: Double) {
    let scenario = Case(ppm: ppm).scenario()
    scenario.run(milliseconds: 15_000)
    let settled = scenario.stream.statistics
    for _ in 0..<Self.halfMinutes / 2 {
      scenario.run(milliseconds: 30_000)
      #expect(scenario.stream.statistics.playoutDelayNanoseconds < 5_000_000)
    }
    #expect(Self.glitches(scenario.stream.statistics) == Self.glitches(settled))
    #expect(abs(Self.pitchPPM(scenario) - ppm) < 5)
  }

  @Test(
    arguments: Seeds.first(3).flatMap { seed in
      [
        Case(ppm: 300, jitter: .uniform(nanoseconds: 5_000_000), seed: seed),
        Case(ppm: -300, frames: 960, jitter: .uniform(nanoseconds: 5_000_000), seed: seed),
        Case(ppm: -300, jitter: .gaussian(nanoseconds: 2_000_000), seed: seed),
        Case(ppm: 300, frames: 480, jitter: .gaussian(nanoseconds: 3_000_000), seed: seed),
      ]
    })
  func `jitter only slows it down`(pair: Case) {
    let scenario = pair.scenario()
    scenario.run(milliseconds: 60_000)
    let settled = scenario.stream.statistics
    var locked = 0
    for _ in 0..<60 {
      scenario.run(milliseconds: 5000)
      let statistics = scenario.stream.statistics
      if statistics.isClockLocked { locked += 1 }
      #expect(abs(statistics.driftPPM - pair.ppm) < 5, "\(statistics.driftPPM)")
    }
    let statistics = scenario.stream.statistics
    #expect(locked == 60)
    #expect(statistics.late - settled.late < (statistics.received - settled.received) / 50)
    #expect(statistics.playoutDelayNanoseconds < 14_000_000)
    #expect(scenario.underruns == 0)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `spikes and droughts do not touch the rate`(seed: UInt64) {
    var random = TestKit.SplitMix64(seed: seed)
    let pair = Case(ppm: -120, frames: 480, jitter: .uniform(nanoseconds: 500_000), seed: seed)
    let scenario = pair.scenario()
    scenario.run(milliseconds: 15_000)
    for _ in 0..<200 {
      scenario.run(milliseconds: 100 + Int(random.next() % 900))
      let now = scenario.clock.nowNanoseconds
      scenario.link.hold(untilNanoseconds: now + Int64(random.unit() * random.unit() * 3e8))
      #expect(abs(scenario.stream.statistics.driftPPM + 120) < 10, "seed \(seed)")
    }
    // What the droughts asked for is given back within a second or two after they are forgotten.
    scenario.run(milliseconds: 40_000)
    #expect(scenario.stream.statistics.isClockLocked)
    #expect(abs(Self.pitchPPM(scenario) + 120) < 30)
  }

  @Test(arguments: [120, 480, 960])
  func `another rate is followed within two seconds`(frames: Int) {
    let scenario = Case(ppm: 0, frames: frames).scenario()
    scenario.run(milliseconds: 20_000)
    for ppm in [300.0, -300] {
      scenario.setSenderDrift(ppm: ppm)
      scenario.run(milliseconds: 2000)
      let settled = scenario.stream.statistics
      #expect(abs(settled.driftPPM - ppm) < 10, "\(settled.driftPPM)")
      scenario.run(milliseconds: 20_000)
      let statistics = scenario.stream.statistics
      #expect(Self.glitches(statistics) == Self.glitches(settled))
      #expect(statistics.late == 0 && scenario.underruns == 0)
      #expect(abs(Self.pitchPPM(scenario) - ppm) < 20)
    }
  }

  @Test(arguments: [Case(ppm: 200), Case(ppm: -200, frames: 960, periodFrames: 256)])
  func `a suspended sender is heard as before within two seconds`(pair: Case) {
    let scenario = pair.scenario()
    scenario.run(milliseconds: 15_000)
    let before = scenario.stream.statistics
    scenario.setSenderRunning(false)
    scenario.run(milliseconds: 30_000)
    scenario.setSenderRunning(true)
    scenario.run(milliseconds: 2000)
    let settled = scenario.stream.statistics
    let period = Int64(pair.periodFrames) * 62_500 / 3
    #expect(scenario.stream.isPlaying && settled.isClockLocked)
    #expect(abs(settled.driftPPM - pair.ppm) < 1)
    #expect(abs(settled.playoutDelayNanoseconds - before.playoutDelayNanoseconds) < period)
    scenario.run(milliseconds: 12_000)
    #expect(Self.glitches(scenario.stream.statistics) == Self.glitches(settled))
    #expect(abs(Self.pitchPPM(scenario) - pair.ppm) < 5)
  }

  @Test(arguments: [(1, 64), (3, 64), (1, 256)])
  func `a device that loses periods twice a second keeps its rate`(periods: Int, periodFrames: Int)
  {
    let scenario = Case(ppm: -150, periodFrames: periodFrames, receiverPPM: 40).scenario()
    for second in 0..<120 {
      for _ in 0..<2 {
        scenario.run(milliseconds: 500)
        scenario.skipReceiverPeriods(periods)
      }
      guard second >= 10 else { continue }
      let drift = scenario.stream.statistics.driftPPM
      #expect(abs(drift + 190) < 1, "\(drift)")
    }
    // Each loss leaves some doubt; without them it goes.
    scenario.run(milliseconds: 20_000)
    #expect(scenario.stream.statistics.isClockLocked)
    #expect(scenario.underruns == 0)
    #expect(scenario.greatestStep < 1.6 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test func `a sender that loses periods keeps its rate`() {
    let scenario = Case(ppm: -150).scenario()
    scenario.run(milliseconds: 15_000)
    for _ in 0..<60 {
      scenario.run(milliseconds: 2000)
      scenario.skipSenderPeriods(2)
      #expect(abs(scenario.stream.statistics.driftPPM + 150) < 3)
    }
  }

  @Test func `equal clocks leave the sound alone`() {
    let scenario = Case(ppm: 70, receiverPPM: 70).scenario()
    for _ in 0..<60 {
      scenario.run(milliseconds: 1000)
      #expect(!scenario.stream.statistics.isResampled)
    }
    #expect(scenario.stream.statistics.isClockLocked)
    #expect(abs(scenario.stream.statistics.driftPPM) < 0.1)
  }

  /// Packets of 10 ms from a node on our own clock, whose delay grows by 60 microseconds within three seconds, as it
  /// did between two nodes of one machine.
  @Test(arguments: 0..<8)
  func `a delay that wanders is no drift`(secondsBefore: Int) {
    var clocks = ClockRecovery()
    var random = TestKit.SplitMix64(seed: UInt64(secondsBefore))
    for packet in 0..<6000 {
      let media = Int64(packet) * 10_000_000
      let elapsed = Double(packet) / 100 - Double(secondsBefore)
      let wander = Int64(20_000 * min(max(elapsed, 0), 3))
      let noise = Int64(random.next() % 40_000)
      clocks.observe(arrivalNanoseconds: media + wander + noise, mediaNanoseconds: media)
      #expect(!clocks.isSliding, "\(clocks.drift * 1e6) ppm after \(packet) packets")
    }
    #expect(clocks.isLocked)
  }

  @Test func `talk spurts keep the clock`() {
    var settings = ScenarioSettings()
    settings.usesDTX = true
    settings.senderDriftPPM = 250
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 5000)
    for _ in 0..<10 {
      scenario.setAmplitude(0)
      scenario.run(milliseconds: 4000)
      scenario.setAmplitude(0.5)
      scenario.run(milliseconds: 300)
      let settled = scenario.stream.statistics
      scenario.greatestStep = 0
      scenario.run(milliseconds: 3000)
      #expect(scenario.greatestStep < 1.01 * ToneCodec.greatestStep(amplitude: 0.5))
      let statistics = scenario.stream.statistics
      #expect(statistics.isClockLocked && statistics.isResampled)
      #expect(abs(statistics.driftPPM - 250) < 2)
      #expect(Self.glitches(statistics) == Self.glitches(settled))
    }
    #expect(scenario.stream.statistics.lost == 0 && scenario.underruns == 0)
  }
}
