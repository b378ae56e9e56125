import TestKit
import Testing

@testable import Media

/// A talker whose packets become longer or shorter while it talks.
@Suite struct PacketDurationTests {
  static let changes: [(from: Int, to: Int)] = [
    (240, 480), (480, 960), (480, 1920), (120, 2880), (960, 480), (1920, 480), (2880, 240),
  ]

  private static func scenario(framesPerPacket: Int) -> StreamScenario {
    var settings = ScenarioSettings()
    settings.framesPerPacket = framesPerPacket
    settings.usesDTX = true
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 6000)
    scenario.greatestStep = 0
    return scenario
  }

  /// Of the packets' own length, the look at the socket and the beats.
  private static func isCloseToFloor(_ scenario: StreamScenario, frames: Int) -> Bool {
    let floor = MediaClock.nanoseconds(frames: Int64(frames))
    let delay = scenario.medianDelayNanoseconds(lastMilliseconds: 1000)
    return (floor...floor + 4_000_000).contains(delay)
  }

  @Test(arguments: changes)
  func `in a pause nobody hears it`(from: Int, to: Int) {
    let scenario = Self.scenario(framesPerPacket: from)
    scenario.setAmplitude(0)
    scenario.run(milliseconds: 1000)
    scenario.greatestStep = 0
    scenario.change(framesPerPacket: to)
    // Whole packets: the test's codec has one amplitude for each.
    scenario.run(milliseconds: 960)
    scenario.setAmplitude(0.5)
    let before = scenario.stream.statistics
    scenario.run(milliseconds: 6000)
    let after = scenario.stream.statistics
    #expect(after.lost + after.late == before.lost + before.late)
    #expect(after.concealedFrames == before.concealedFrames)
    #expect(after.discarded == before.discarded)
    #expect(scenario.underruns == 0)
    #expect(scenario.greatestStep < 1.6 * ToneCodec.greatestStep(amplitude: 0.5))
    #expect(Self.isCloseToFloor(scenario, frames: to))
  }

  /// Longer packets come later by what they are longer, which nobody can know before: so much is
  /// made up once, and not more.
  @Test(arguments: changes)
  func `while the talker speaks none of its sound gets lost`(from: Int, to: Int) {
    let scenario = Self.scenario(framesPerPacket: from)
    let before = scenario.stream.statistics
    scenario.change(framesPerPacket: to)
    scenario.run(milliseconds: 6000)
    let after = scenario.stream.statistics
    #expect(after.lost + after.late == before.lost + before.late)
    #expect(after.discarded == before.discarded)
    let growth = max(0, to - from)
    #expect(after.concealedFrames - before.concealedFrames <= growth)
    #expect(after.concealmentEvents - before.concealmentEvents <= (growth > 0 ? 1 : 0))
    #expect(scenario.underruns == 0)
    #expect(scenario.greatestStep < 0.06)
    #expect(Self.isCloseToFloor(scenario, frames: to))
  }
}
