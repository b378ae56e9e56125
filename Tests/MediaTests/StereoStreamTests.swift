import TestKit
import Testing

@testable import Media

/// Streams of two channels, of which the side is a fixed share of the mean in every packet: so it has to be in every
/// frame, whatever is done to the sound.
@Suite struct StereoStreamTests {
  private static let share = ToneCodec.Decoder.sideShare

  private static func scenario(_ adjust: (inout ScenarioSettings) -> Void = { _ in })
    -> StreamScenario
  {
    var settings = ScenarioSettings()
    settings.framesPerPacket = 480
    settings.recordsOutput = true
    adjust(&settings)
    let scenario = StreamScenario(settings)
    scenario.stream.takesSide = true
    return scenario
  }

  /// By how much the side is off its share of the mean, at most.
  private static func error(_ scenario: StreamScenario, _ range: Range<Int>) -> Float {
    range.map { abs(scenario.sideOutput[$0] - share * scenario.output[$0]) }.max() ?? 0
  }

  private static func peak(_ pcm: ArraySlice<Float>) -> Float { pcm.map(abs).max() ?? 0 }

  @Test(arguments: [48_000, 44_100], [120, 480])
  func `both channels are concealed, spliced and resampled in step`(rate: Int, frames: Int) {
    let scenario = Self.scenario {
      $0.receiverRate = rate
      $0.framesPerPacket = frames
      $0.senderDriftPPM = 200
      $0.link.loss = 0.02
      $0.link.jitter = .uniform(nanoseconds: 15_000_000)
    }
    scenario.setStereo(true)
    scenario.run(milliseconds: 4000)
    scenario.link.model.jitter = .none
    scenario.run(milliseconds: 16_000)
    let statistics = scenario.stream.statistics
    #expect(scenario.stream.hasSide && statistics.channels == 2 && statistics.channelChanges == 0)
    #expect(statistics.isResampled && statistics.concealedFrames > 4800)
    #expect(statistics.removals + statistics.insertions > 0)
    #expect(scenario.output.count == scenario.sideOutput.count)
    // Noise stands for gaps above 20 ms, and has no side.
    let off = scenario.output.indices.count { Self.error(scenario, $0..<$0 + 1) > 1e-5 }
    #expect(off < scenario.output.count / 200, "\(off) frames")
    #expect(Self.peak(scenario.sideOutput[(rate * 18)...]) > 0.1)
  }

  @Test(arguments: [0.0, 300])
  func `a stream that becomes stereo and mono again has no step in its mean`(ppm: Double) {
    let scenario = Self.scenario { $0.senderDriftPPM = ppm }
    scenario.run(milliseconds: 15_000)
    #expect(!scenario.stream.hasSide && scenario.stream.statistics.isResampled == (ppm != 0))
    scenario.greatestStep = 0
    scenario.setStereo(true)
    scenario.run(milliseconds: 3000)
    #expect(scenario.stream.hasSide)
    let end = scenario.output.count
    #expect(Self.error(scenario, end - 96_000..<end) < 1e-5)
    #expect(Self.peak(scenario.sideOutput[(end - 48_000)...]) > 0.1)
    scenario.setStereo(false)
    scenario.run(milliseconds: 1000)
    #expect(Self.peak(scenario.sideOutput.suffix(24_000)) < 1e-6)
    // The resampler begins anew within a frame of where it stood.
    #expect(scenario.greatestStep < 2.1 * ToneCodec.greatestStep(amplitude: 0.5))
    #expect(scenario.stream.statistics.channelChanges == 2)
  }

  @Test func `the second channel goes with the sound it came with`() {
    let scenario = Self.scenario { $0.usesDTX = true }
    scenario.setStereo(true)
    scenario.run(milliseconds: 2000)
    scenario.setAmplitude(0)
    scenario.run(milliseconds: 1000)
    #expect(scenario.stream.hasSide && Self.peak(scenario.sideOutput.suffix(4800)) == 0)
    scenario.setStereo(false)
    scenario.setAmplitude(0.5)
    scenario.run(milliseconds: 1000)
    scenario.setAmplitude(0)
    scenario.run(milliseconds: 1000)
    scenario.setAmplitude(0.5)
    scenario.run(milliseconds: 1000)
    #expect(!scenario.stream.hasSide && !scenario.decoder.hasSide)
    #expect(scenario.stream.isPlaying)
  }

  @Test func `who is to have one channel has it, whatever packets say`() {
    let scenario = Self.scenario()
    scenario.stream.takesSide = false
    for isStereo in [true, false, true] {
      scenario.setStereo(isStereo)
      scenario.run(milliseconds: 500)
    }
    #expect(!scenario.stream.hasSide && !scenario.decoder.hasSide)
    #expect(scenario.stream.statistics.channelChanges == 2)
  }
}
