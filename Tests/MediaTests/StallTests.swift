import Media
import TestKit
import Testing

/// A stall at the sender or a step in the path's delay costs itself, and hardly more.
@Suite struct StallTests {
  /// What goes together in a profile, as `Profile` in Intercom has it; `none` is what a node does without one.
  enum Setup: String, CaseIterable, CustomTestStringConvertible {
    case stage, none, wifi, saver

    var testDescription: String { rawValue }

    func settings(seed: UInt64) -> ScenarioSettings {
      var settings = ScenarioSettings()
      let (frames, period) =
        switch self {
        case .stage: (120, 128)
        case .none: (480, 128)
        case .wifi: (480, 256)
        case .saver: (1920, 512)
        }
      (settings.framesPerPacket, settings.periodFrames) = (frames, period)
      settings.stream.lateShare = self == .stage ? 0.001 : 0.005
      settings.senderPhaseNanoseconds = Int64(seed) * 170_000
      settings.link.delayNanoseconds = 2_000_000
      settings.link.jitter = .uniform(nanoseconds: Int64(seed % 3) * 1_000_000)
      settings.link.keepsOrder = true
      settings.seed = seed
      return settings
    }
  }

  /// What happens to the sound.
  enum Event: CaseIterable {
    /// The sender's microphone is deaf, and its time stands still meanwhile.
    case hole
    /// What was sent comes at the end, all at once.
    case burst
    /// What was sent comes later from now on.
    case stepUp
    /// What comes later from now on comes as before again.
    case stepDown
    /// Up, and down again a second later.
    case detour
  }

  struct Case: CustomTestStringConvertible {
    let setup: Setup
    let event: Event
    let milliseconds: Int
    var testDescription: String { "\(setup) \(event) \(milliseconds) ms" }
  }

  static let stalls = [40, 60, 100, 150, 200, 300, 500, 1000, 3000, 5000]
  static let steps = [40, 60, 100, 130, 150, 200, 300, 500, 1000]
  static let cases = Setup.allCases.flatMap { setup in
    Event.allCases.flatMap { event in
      (event == .hole || event == .burst ? stalls : steps).map {
        Case(setup: setup, event: event, milliseconds: $0)
      }
    }
  }

  /// In milliseconds: what was made up or silent, what came too late to be heard.
  struct Cost: CustomStringConvertible {
    var madeUp = 0.0
    var late = 0.0
    var description: String { "\(madeUp) ms made up, \(late) ms late" }
  }

  static func cost(of one: Case, seed: UInt64) -> Cost {
    var settings = one.setup.settings(seed: seed)
    let step = Int64(one.milliseconds) * 1_000_000
    if one.event == .stepDown { settings.link.delayNanoseconds += step }
    let scenario = StreamScenario(settings)
    scenario.observes = false
    scenario.run(milliseconds: 8_000 + 3 * Int(seed))
    let before = scenario.stream.statistics
    let began = scenario.clock.nowNanoseconds
    switch one.event {
    case .hole: scenario.skipSenderPeriods(one.milliseconds * 48 / settings.periodFrames)
    case .burst: scenario.link.hold(untilNanoseconds: began + step)
    case .stepUp, .detour: scenario.link.model.delayNanoseconds += step
    case .stepDown: scenario.link.model.delayNanoseconds -= step
    }
    if one.event == .detour {
      scenario.run(milliseconds: 1000)
      scenario.link.model.delayNanoseconds -= step
    }
    scenario.run(milliseconds: one.milliseconds + 14_000)
    let after = scenario.stream.statistics
    let packet = Double(settings.framesPerPacket) / 48
    let passed = Double(scenario.clock.nowNanoseconds - began) / 1e6
    let late = (after.late - before.late) + (after.discarded.total - before.discarded.total)
    return Cost(
      madeUp: passed - Double(after.played - before.played) * packet,
      late: Double(late) * packet)
  }

  @Test(arguments: Seeds.part(of: cases))
  func `a stall or a step costs itself and 100 ms at most`(one: Case) {
    // There and back.
    let times = one.event == .detour ? 2.0 : 1.0
    for seed in Seeds.first(3) {
      let cost = Self.cost(of: one, seed: seed)
      let bound = times * (Double(one.milliseconds) + 100)
      #expect(max(cost.madeUp, cost.late) <= bound, "seed \(seed): \(cost)")
    }
  }
}
