import Media
import RTP
import TestKit
import Testing

/// Two clocks that differ: no loss, no growing delay, as long as one likes.
@Suite struct DriftTests {
  @Test(arguments: [-100.0, -30, 30, 100], [120, 960])
  func `drift is absorbed without a glitch`(ppm: Double, frames: Int) {
    var settings = ScenarioSettings()
    settings.framesPerPacket = frames
    settings.senderDriftPPM = ppm
    let scenario = StreamScenario(settings)
    scenario.run(milliseconds: 3000)
    let settled = scenario.stream.statistics
    scenario.run(milliseconds: 30_000)
    let statistics = scenario.stream.statistics
    #expect(statistics.lost == 0)
    #expect(statistics.concealedFrames - settled.concealedFrames <= 2 * frames)
    #expect(scenario.underruns == 0)
    #expect(
      scenario.medianDelayNanoseconds(lastMilliseconds: 1000) < Int64(frames) * 62_500 / 3
        + 2_500_000)
    #expect(scenario.greatestStep < 1.6 * ToneCodec.greatestStep(amplitude: 0.5))
  }

  /// An hour, packets of 60 ms made by hand and a decoder that writes silence: it is time that is
  /// tested here, not sound.
  @Test(arguments: [-500, 500])
  func `an hour of drift leaves the delay where it was`(ppm: Int64) throws {
    final class SilentDecoder: FrameDecoder {
      func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int { pcm.count }
      func conceal(into pcm: inout MutableSpan<Float>) -> Int { pcm.count }
      func reset() {}
    }
    let stream = PeerStream(
      configuration: PeerStreamConfiguration(), decoder: SilentDecoder(),
      resampler: LinearResampler())
    let period: Int64 = 10_000_000
    var forge = PacketForge()
    forge.durationFrames = 2880
    var pcm = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
    var (packets, ringFrames) = (0, 0)
    var delays: [Int64] = []
    var settled: PeerStreamStatistics?
    for beat in stride(from: period, to: 3_600_000_000_000, by: Int(period)) {
      let due = beat - 200_000
      while true {
        let arrival = Int64(packets + 1) * 60 * (1_000_000 - ppm) + 1_000_000
        guard arrival <= due else { break }
        let datagram = forge.datagram(packets, payload: [11 << 3, 1, 2, 3])
        let packet = try RTPPacket(parsing: unsafe datagram.span.bytes)
        stream.receive(
          packet, bytes: unsafe datagram.span.bytes, arrivalNanoseconds: arrival)
        packets += 1
      }
      stream.grid = PlayoutGrid(
        beatNanoseconds: beat, beatFrames: beat / period * 480, periodNanoseconds: period,
        leadNanoseconds: 200_000)
      while ringFrames < 480 {
        var span = pcm.mutableSpan
        let frames = stream.render(
          into: &span, dueNanoseconds: due,
          playoutNanoseconds: beat + Int64(ringFrames) * 62_500 / 3)
        if frames == 0 { break }
        ringFrames += frames
      }
      ringFrames = max(0, ringFrames - 480)
      guard beat % 60_000_000_000 == 0 else { continue }
      delays.append(stream.statistics.playoutDelayNanoseconds)
      settled = settled ?? stream.statistics
    }
    let statistics = stream.statistics
    #expect(packets > 59_000)
    #expect(statistics.lost == 0 && statistics.late == 0 && statistics.concealedFrames == 0)
    #expect(statistics.starts == 1 && statistics.isClockLocked)
    #expect(abs(statistics.driftPPM - Double(ppm)) < 1, "\(statistics.driftPPM)")
    #expect(statistics.removals == settled?.removals)
    #expect(statistics.insertions == settled?.insertions)
    #expect(statistics.jumps == 0)
    #expect(delays.dropFirst().allSatisfy { $0 < 12_000_000 }, "\(delays)")
  }
}
