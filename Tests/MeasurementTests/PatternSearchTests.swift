import Measurement
import TestKit
import Testing

/// A sweep put into something, and found again.
@Suite struct PatternSearchTests {
  private static let rate = 48_000
  private let sweep = Sweep(sampleRate: rate, amplitude: 0.1).frames

  private var search: PatternSearch {
    PatternSearch(for: sweep, sampleRate: Self.rate, band: Sweep.band)
  }

  /// 0.8 s with the sweep at a frame, at a gain.
  private func window(at frame: Int, gain: Float = 1) -> [Float] {
    var window = [Float](repeating: 0, count: 38_400)
    for (index, value) in sweep.enumerated() { window[frame + index] = gain * value }
    return window
  }

  private func power(_ frames: [Float]) -> Float {
    frames.reduce(0) { $0 + $1 * $1 } / Float(frames.count)
  }

  /// White noise of a power, Gaussian enough: twelve uniform numbers.
  private func noise(power: Float, seed: UInt64, count: Int = 38_400) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let sum = (0..<12).reduce(Float(0)) { sum, _ in
        sum + Float.random(in: -0.5...0.5, using: &random)
      }
      return sum * power.squareRoot()
    }
  }

  @Test(arguments: [0, 1, 4_801, 28_800])
  func `A sweep in silence is found at its frame, as loud as it is`(frame: Int) throws {
    let match = try #require(search.best(in: window(at: frame, gain: 0.25)))
    #expect(abs(match.lagFrames - Double(frame)) < 0.01)
    #expect(abs(match.gain - 0.25) < 0.001)
    #expect(match.correlation > 0.99)
  }

  @Test
  func `It is found where noise is 20 dB louder: each within two frames, the median within one`()
    throws
  {
    let lags = try (1...21).map { seed in
      var window = window(at: 7_777)
      for (index, value) in noise(power: 100 * power(sweep), seed: UInt64(seed)).enumerated() {
        window[index] += value
      }
      let match = try #require(search.best(in: window), "seed \(seed)")
      #expect(abs(match.lagFrames - 7_777) <= 2, "seed \(seed): \(match)")
      return match.lagFrames
    }
    #expect(abs(lags.sorted()[10] - 7_777) <= 1)
  }

  @Test(arguments: 1...20)
  func `In noise alone it is nowhere, however loud`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let power = Float.random(in: 1e-8...1, using: &random)
    #expect(search.best(in: noise(power: power, seed: seed)) == nil, "seed \(seed)")
  }

  @Test func `In speech, tones, silence and a clipped roar it is nowhere`() {
    let speech = ArtificialSpeech.frames(seconds: 0.8, sampleRate: Self.rate)
    let tone = (0..<38_400).map { Float($0 % 48 < 24 ? 0.5 : -0.5) }
    let roar = noise(power: 4, seed: 5).map { max(-1, min(1, $0)) }
    for window in [speech, tone, roar, [Float](repeating: 0, count: 38_400), []] {
      #expect(search.best(in: window) == nil)
    }
  }

  @Test func `It is found where speech goes on over it`() throws {
    var window = window(at: 12_000)
    let speech = ArtificialSpeech.frames(seconds: 0.8, sampleRate: Self.rate, peak: 0.2)
    for (index, value) in speech.enumerated() { window[index] += value }
    let match = try #require(search.best(in: window))
    #expect(abs(match.lagFrames - 12_000) <= 1)
  }

  @Test(arguments: [-500.0, 500])
  func `A clock that drifts moves it by less than its own stretch`(ppm: Double) throws {
    let source = window(at: 10_000)
    let rate = 1 + ppm / 1e6
    let drifted = source.indices.map { index -> Float in
      let place = Double(index) * rate
      let (whole, part) = (Int(place), Float(place - place.rounded(.down)))
      guard whole + 1 < source.count else { return 0 }
      return source[whole] * (1 - part) + source[whole + 1] * part
    }
    let match = try #require(search.best(in: drifted))
    let expected = 10_000 / rate
    #expect(abs(match.lagFrames - expected) < 5)
    #expect(match.correlation > 0.5)
  }

  @Test func `With a third of its packets lost it is still found`() throws {
    var window = window(at: 9_600)
    for packet in stride(from: 0, to: window.count, by: 1440) {
      for index in packet..<packet + 480 { window[index] = 0 }
    }
    let match = try #require(search.best(in: window))
    #expect(abs(match.lagFrames - 9_600) <= 1)
  }
}
