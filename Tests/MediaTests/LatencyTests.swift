import Media
import TestKit
import Testing

/// What a perfect link adds: with P = 64 the codec frame and half a period on average, and the
/// loop's lead, margin and processing.
@Suite struct LatencyTests {
  /// Medians over phases between the two devices, from 0 to a period, each once it has settled.
  private static func medians(
    framesPerPacket: Int, tellsGrid: Bool = true, periodFrames: Int = 64
  ) -> [Int64] {
    stride(from: Int64(0), to: Int64(periodFrames) * 62_500 / 3, by: 190_000).map { phase in
      var settings = ScenarioSettings()
      settings.framesPerPacket = framesPerPacket
      settings.periodFrames = periodFrames
      settings.senderPhaseNanoseconds = phase
      settings.tellsGrid = tellsGrid
      let scenario = StreamScenario(settings)
      scenario.run(milliseconds: 2000)
      #expect(scenario.stream.statistics.lost == 0)
      #expect(scenario.stream.statistics.concealedFrames == 0)
      return scenario.medianDelayNanoseconds(lastMilliseconds: 500)
    }.sorted()
  }

  @Test(arguments: [
    (120, 3_850_000, 4_200_000), (240, 6_300_000, 6_900_000), (480, 11_300_000, 11_900_000),
  ])
  func `a clean link is played near the floor`(frames: Int, median: Int, greatest: Int) throws {
    let medians = Self.medians(framesPerPacket: frames)
    #expect(medians[medians.count / 2] <= median, "\(medians)")
    #expect(try #require(medians.last) <= greatest)
    #expect(try #require(medians.first) >= Int64(frames - 64) * 62_500 / 3)
  }

  @Test func `a stream that knows no beats pays at most a period for it`() throws {
    let medians = Self.medians(framesPerPacket: 120, tellsGrid: false)
    #expect(try #require(medians.last) <= 5_000_000, "\(medians)")
  }

  @Test(arguments: [32, 64, 100, 128, 256, 480, 1024])
  func `every period is served`(periodFrames: Int) throws {
    let medians = Self.medians(framesPerPacket: 240, periodFrames: periodFrames)
    let period = Int64(periodFrames) * 62_500 / 3
    #expect(try #require(medians.last) <= 5_000_000 + 2 * period + 700_000, "\(medians)")
  }

  @Test(arguments: [5_000_000, 20_000_000, 60_000_000])
  func `a fixed delay is held`(nanoseconds: Int64) {
    var settings = ScenarioSettings()
    settings.stream.playoutDelay = .fixed(nanoseconds: nanoseconds)
    settings.link.jitter = .uniform(nanoseconds: 3_000_000)
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 5000)
    let delay = scenario.stream.statistics.playoutDelayNanoseconds
    #expect(abs(delay - nanoseconds) < 1_000_000, "\(delay)")
  }
}
