import Media
import TestKit
import Testing

/// An xrun shifts the stream by whole periods; within a second it is where it was, inaudibly.
@Suite struct RecentringTests {
  struct Xrun: CustomTestStringConvertible {
    let periods: Int
    let frames: Int
    var testDescription: String { "\(periods) periods, packets of \(frames) frames" }
  }

  static let xruns = [1, 3, 8].flatMap { periods in
    [120, 480, 960].map { Xrun(periods: periods, frames: $0) }
  }

  private static func settled(_ xrun: Xrun, tellsGrid: Bool = true) -> StreamScenario {
    var settings = ScenarioSettings()
    settings.framesPerPacket = xrun.frames
    settings.senderPhaseNanoseconds = 400_000
    settings.tellsGrid = tellsGrid
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 1500)
    return scenario
  }

  @Test(arguments: xruns)
  func `an xrun of the receiver is forgotten within a second`(xrun: Xrun) {
    let scenario = Self.settled(xrun)
    let before = scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    scenario.greatestStep = 0
    scenario.skipReceiverPeriods(xrun.periods)
    scenario.run(milliseconds: 1000)
    scenario.run(milliseconds: 300)
    let after = scenario.medianDelayNanoseconds(lastMilliseconds: 300)
    #expect(abs(after - before) < 900_000, "\(before) \(after)")
    #expect(scenario.stream.statistics.lost == 0)
    #expect(scenario.stream.statistics.concealedFrames == 0)
    #expect(scenario.greatestStep < 1.6 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test(arguments: xruns)
  func `an xrun of the sender is followed within a second`(xrun: Xrun) {
    let scenario = Self.settled(xrun)
    let before = scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    scenario.greatestStep = 0
    scenario.skipSenderPeriods(xrun.periods)
    scenario.run(milliseconds: 1000)
    let settled = scenario.stream.statistics
    scenario.run(milliseconds: 500)
    let statistics = scenario.stream.statistics
    let after = scenario.medianDelayNanoseconds(lastMilliseconds: 300)
    // What was spoken before the xrun was lost at the sender: the delay is measured anew.
    #expect(abs(after - before) < 900_000, "\(before) \(after)")
    #expect(statistics.late == settled.late && statistics.lost == 0)
    #expect(statistics.concealedFrames == settled.concealedFrames)
    #expect(scenario.greatestStep < 2.5 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  @Test(arguments: xruns)
  func `xruns are forgotten also where the beats are unknown`(xrun: Xrun) {
    let scenario = Self.settled(xrun, tellsGrid: false)
    scenario.skipReceiverPeriods(xrun.periods)
    scenario.run(milliseconds: 2000)
    let after = scenario.medianDelayNanoseconds(lastMilliseconds: 300)
    #expect(after < Int64(xrun.frames) * 62_500 / 3 + 3_400_000, "\(after)")
  }
}
