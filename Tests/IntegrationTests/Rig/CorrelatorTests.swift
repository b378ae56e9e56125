import Glibc
import Testing

@testable import TestRig

/// Deterministic noise shaped like speech: loud and quiet stretches, most of it below 4 kHz.
struct TestVoice {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func uniform() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 23) - 1
  }

  mutating func samples(_ count: Int) -> [Float] {
    var (low, lower) = (Float(0), Float(0))
    return (0..<count).map { _ in
      low += 0.25 * (uniform() - low)
      lower += 0.25 * (low - lower)
      return lower
    }
  }
}

/// A whole-cycle time line: period 64 from a moment on, at exactly 48 kHz.
func regularTimeLine(from start: Int64, frames: Int) -> TimeLine {
  TimeLine(
    cycles: (0..<frames / 64).map { (cycle: Int) -> TimeLine.Cycle in
      let position = cycle * 64
      return TimeLine.Cycle(
        startNanoseconds: start + Int64(Double(position) * 1e9 / 48_000), position: Int64(position),
        frames: 64)
    }, sampleRate: 48_000)
}

struct CorrelatorTests {
  /// Delays a sound by a fraction of a frame: a sinc under a Hann window, 24 frames to each side.
  static func delayed(_ samples: [Float], by frames: Double) -> [Float] {
    let whole = Int(frames)
    let fraction = frames - Double(whole)
    let kernel = (-24...24).map { tap in
      let distance = Double(tap) + fraction
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      return Float(sinc * (0.5 + 0.5 * cos(.pi * distance / 25)))
    }
    return samples.indices.map { index in
      var sum = Float(0)
      for tap in 0...48 where samples.indices.contains(index - whole + tap - 24) {
        sum += samples[index - whole + tap - 24] * kernel[tap]
      }
      return sum
    }
  }

  @Test(arguments: [0.0, 3.25, 240.5, 311.75, 4800.1])
  func `a delay is found to 0.05 frames under noise of 10 dB less`(frames: Double) throws {
    var voice = TestVoice(seed: 7)
    let source = voice.samples(48_000)
    var recording = Self.delayed(source, by: frames)
    let noise = voice.samples(recording.count)
    let gain =
      Sound.rootMeanSquare(source) / Sound.rootMeanSquare(noise) * 0.316_227_77
    for index in recording.indices { recording[index] += noise[index] * gain }

    let correlator = Correlator(sampleRate: 48_000)
    let pattern = Array(source[12_000..<24_000])
    let best = try #require(
      correlator.bestLag(of: pattern, in: Array(recording[12_000..<36_000])))
    #expect(abs(best.lag - frames) < 0.05)
    #expect(best.correlation > 0.9)
  }

  @Test func `other speech is not mistaken for the source`() throws {
    var voice = TestVoice(seed: 1)
    let pattern = voice.samples(12_000)
    let best = try #require(
      Correlator(sampleRate: 48_000).bestLag(of: pattern, in: voice.samples(24_000)))
    #expect(best.correlation < 0.3)
  }

  @Test func `silence has no lag`() {
    let correlator = Correlator(sampleRate: 48_000)
    var voice = TestVoice(seed: 1)
    let zeros = [Float](repeating: 0, count: 24_000)
    #expect(correlator.bestLag(of: voice.samples(12_000), in: zeros) == nil)
    #expect(correlator.bestLag(of: Array(zeros[..<12_000]), in: voice.samples(24_000)) == nil)
    #expect(correlator.bestLag(of: voice.samples(12_000), in: voice.samples(100)) == nil)
  }

  @Test func `latency is measured across two time lines`() throws {
    var voice = TestVoice(seed: 3)
    let source = voice.samples(96_000)
    // The recorder started 20 ms before the player; the sound came 480.5 frames late.
    let recording =
      [Float](repeating: 0, count: 960) + Self.delayed(source, by: 480.5)
      + [Float](repeating: 0, count: 24_000)
    let segments = Correlator(sampleRate: 48_000).measure(
      source: source, played: regularTimeLine(from: 5_020_000_000, frames: source.count),
      recording: recording,
      recorded: regularTimeLine(from: 5_000_000_000, frames: recording.count))
    #expect(segments.count >= 7)
    for segment in segments {
      #expect(abs(segment.latencyMilliseconds - 480.5 / 48) < 0.01)
      #expect(segment.isSteady)
      #expect(segment.blockCorrelations.allSatisfy { $0 > 0.98 })
    }
  }

  @Test func `a segment across a late cycle is not steady`() throws {
    var voice = TestVoice(seed: 3)
    let source = voice.samples(48_000)
    let steady = regularTimeLine(from: 0, frames: source.count + 24_000)
    // From the middle of the second segment on, the recorder's cycles are 3 ms late.
    let late = TimeLine(
      cycles: steady.cycles.map { cycle in
        var cycle = cycle
        if cycle.position > 18_000 { cycle.startNanoseconds += 3_000_000 }
        return cycle
      }, sampleRate: 48_000)
    let recording = source + [Float](repeating: 0, count: 24_000)
    let segments = Correlator(sampleRate: 48_000).measure(
      source: source, played: regularTimeLine(from: 0, frames: source.count),
      recording: recording, recorded: late)
    #expect(segments.map(\.isSteady) == [true, false, true])
  }

  @Test func `a slip of a period spoils one piece at most`() throws {
    var voice = TestVoice(seed: 9)
    let source = voice.samples(24_000)
    // 64 frames are missing in the middle of the first segment.
    let recording =
      Array(source[..<4_900]) + Array(source[4_964...]) + [Float](repeating: 0, count: 24_000)
    let segment = try #require(
      Correlator(sampleRate: 48_000).measure(
        source: source, played: regularTimeLine(from: 0, frames: source.count),
        recording: recording,
        recorded: regularTimeLine(from: 0, frames: recording.count)
      ).first)
    #expect(segment.correlation < 0.8)
    #expect(segment.blockCorrelations.count { $0 < 0.95 } <= 1)
    #expect([segment].understoodShare() >= 0.8)
  }

  @Test func `what is missing is not understood`() throws {
    var voice = TestVoice(seed: 4)
    let source = voice.samples(48_000)
    var recording = source + [Float](repeating: 0, count: 24_000)
    // Every other 50 ms is another's voice.
    var other = TestVoice(seed: 5)
    for start in stride(from: 0, to: 48_000, by: 4800) {
      recording.replaceSubrange(start..<start + 2400, with: other.samples(2400))
    }
    let segments = Correlator(sampleRate: 48_000).measure(
      source: source, played: regularTimeLine(from: 0, frames: source.count),
      recording: recording, recorded: regularTimeLine(from: 0, frames: recording.count))
    #expect((0.35...0.65).contains(segments.understoodShare()))
  }
}
