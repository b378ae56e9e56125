import Audio
@testable import Intercom
import Media
import TestKit
import Testing

/// A peer's stream with the real resampler, at the rates that JACK servers have.
@Suite struct ResampledStreamTests {
  struct Device: CustomTestStringConvertible {
    var rate: Int
    var ppm: Double
    var testDescription: String { "\(rate) Hz, \(ppm) ppm" }
  }

  static let devices = [22_050, 32_000, 44_100, 48_000, 96_000, 192_000].flatMap { rate in
    [-300.0, 0, 300].map { Device(rate: rate, ppm: $0) }
  }

  @Test(arguments: devices, [120, 1920])
  func `the tone is whole and in tune`(device: Device, frames: Int) throws {
    let (rate, ppm) = (device.rate, device.ppm)
    var settings = ScenarioSettings()
    settings.framesPerPacket = frames
    settings.receiverRate = rate
    settings.senderDriftPPM = ppm
    let scenario = StreamScenario(settings, resampler: try Resampler(ratio: 1))
    scenario.run(milliseconds: 6000)
    let settled = scenario.stream.statistics
    #expect(settled.isClockLocked && abs(settled.driftPPM - ppm) < 0.5)
    #expect(settled.isResampled == (rate != 48_000 || ppm != 0))
    scenario.greatestStep = 0
    scenario.run(milliseconds: 14_000)
    let statistics = scenario.stream.statistics
    #expect(statistics.removals == settled.removals && statistics.insertions == settled.insertions)
    #expect(statistics.concealedFrames == settled.concealedFrames)
    #expect(statistics.late == settled.late && statistics.starts == 1)
    #expect(scenario.underruns == 0)
    let steepest = ToneCodec.greatestStep(amplitude: 0.5) * 48_000 / Float(rate)
    #expect(scenario.greatestStep < 1.01 * steepest)
    let blocks = scenario.meter.leads.count
    #expect(abs(scenario.meter.pitchPPM(blocks: blocks - 99..<blocks) - ppm) < 5)
  }

  @Test
  func `engaging the resampler in the midst of the sound is no step in it`() throws {
    var settings = ScenarioSettings()
    settings.senderDriftPPM = 40
    settings.stream.playoutDelay = .fixed(nanoseconds: 12_000_000)
    let scenario = StreamScenario(settings, resampler: try Resampler(ratio: 1))
    var wasResampled = false
    for _ in 0..<4000 where !wasResampled {
      scenario.greatestStep = 0
      scenario.run(milliseconds: 2)
      wasResampled = scenario.stream.statistics.isResampled
    }
    scenario.run(milliseconds: 50)
    #expect(wasResampled)
    #expect(scenario.greatestStep < 1.2 * ToneCodec.greatestStep(amplitude: 0.5))
  }
}
