import Foundation
import TestKit

enum Signals {
  static func sine(
    hertz: Double, frames: Int, sampleRate: Double = 48_000, amplitude: Double = 0.5
  ) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / sampleRate)) }
  }

  static func noise(frames: Int, seed: UInt64, amplitude: Float = 0.25) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0..<frames).map { _ in Float.random(in: -amplitude...amplitude, using: &generator) }
  }

  /// A harmonic tone with a slow tremolo: enough like a voice for SILK and CELT to code it well.
  static func voice(frames: Int) -> [Float] {
    (0..<frames).map { frame in
      let time = Double(frame) / 48_000
      let tone = (1...12).reduce(0.0) { $0 + sin(2 * .pi * 160 * Double($1) * time) / Double($1) }
      return Float(0.15 * tone * (0.6 + 0.4 * sin(2 * .pi * 3 * time)))
    }
  }

  /// Signal to noise of a sine of known frequency, whatever its level and phase, in dB.
  static func signalToNoise(_ pcm: ArraySlice<Float>, hertz: Double, sampleRate: Double) -> Double {
    var (cc, cs, ss, xc, xs) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (frame, sample) in pcm.enumerated() {
      let phase = 2 * .pi * hertz * Double(frame) / sampleRate
      let (c, s, x) = (cos(phase), sin(phase), Double(sample))
      cc += c * c
      cs += c * s
      ss += s * s
      xc += x * c
      xs += x * s
    }
    let determinant = cc * ss - cs * cs
    let a = (xc * ss - xs * cs) / determinant
    let b = (xs * cc - xc * cs) / determinant
    var (signal, noise) = (0.0, 0.0)
    for (frame, sample) in pcm.enumerated() {
      let phase = 2 * .pi * hertz * Double(frame) / sampleRate
      let fitted = a * cos(phase) + b * sin(phase)
      signal += fitted * fitted
      noise += (Double(sample) - fitted) * (Double(sample) - fitted)
    }
    return 10 * log10(signal / max(noise, 1e-30))
  }

  /// The delay of `late` behind `early`, 0 … maximum frames, where they correlate best.
  static func delayFrames(of late: [Float], behind early: [Float], maximum: Int) -> Int {
    let count = min(early.count, late.count) - maximum
    let correlations = (0...maximum).map { delay in
      (0..<count).reduce(0.0) { $0 + Double(early[$1]) * Double(late[$1 + delay]) }
    }
    return correlations.indices.max { correlations[$0] < correlations[$1] } ?? 0
  }

  static func rms(_ pcm: ArraySlice<Float>) -> Double {
    (pcm.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(pcm.count, 1))).squareRoot()
  }
}
