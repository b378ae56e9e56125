import TestKit
import Testing

@testable import Media

/// Playout delays up to the longest that may be set.
@Suite struct LongPlayoutDelayTests {
  private static func settings(frames: Int, _ stream: PeerStreamConfiguration) -> ScenarioSettings {
    var settings = ScenarioSettings()
    settings.framesPerPacket = frames
    settings.stream = stream
    return settings
  }

  @Test(arguments: [120, 240, 480, 960, 1920, 2880], [330, 700, 1000] as [Int64])
  func `a fixed delay is heard with packets of any length`(frames: Int, milliseconds: Int64) {
    let scenario = StreamScenario(
      Self.settings(
        frames: frames,
        PeerStreamConfiguration(
          playoutDelay: .fixed(nanoseconds: milliseconds * 1_000_000),
          playoutDelayMaximumNanoseconds: 1_000_000_000)))
    scenario.run(milliseconds: 6000)
    let statistics = scenario.stream.statistics
    #expect(statistics.lost + statistics.late + statistics.discarded.total == 0, "\(statistics)")
    #expect(statistics.played > (6000 - Int(milliseconds) - 200) * 48 / frames)
    let delay = scenario.medianDelayNanoseconds(lastMilliseconds: 1000) / 1_000_000
    #expect((milliseconds - 10...milliseconds + 70).contains(delay), "\(delay)")
  }

  /// A link so bad that `auto` wants all it may have, with packets that overtake each other.
  @Test(arguments: [120, 240, 480])
  func `an automatic delay goes as far as it may`(frames: Int) {
    var settings = Self.settings(
      frames: frames, PeerStreamConfiguration(playoutDelayMaximumNanoseconds: 1_000_000_000))
    settings.link.jitter = .uniform(nanoseconds: 900_000_000)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 10_000)
    let before = scenario.stream.statistics
    scenario.run(milliseconds: 10_000)
    let after = scenario.stream.statistics
    let heard = Double((after.played - before.played) * frames) / 480_000
    #expect(heard > 0.9, "\(after)")
  }
}
