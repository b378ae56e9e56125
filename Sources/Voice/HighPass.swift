internal import Glibc

/// Takes out what is below a frequency: a Butterworth filter of the second order, 12 dB an octave.
final class HighPass: VoiceStage {
  let delayFrames = 0
  /// As long as the filter takes to forget that it knew nothing.
  let warmUpFrames: Int
  private let (b0, b1, a1, a2): (Double, Double, Double, Double)
  private var (first, second) = (0.0, 0.0)

  init(hertz: Double, sampleRate: Int) {
    // The bilinear transform of s² / (s² + √2 s + 1).
    let warped = tan(.pi * min(hertz / Double(sampleRate), 0.45))
    let scale = 1 / (1 + 2.0.squareRoot() * warped + warped * warped)
    (b0, b1) = (scale, -2 * scale)
    a1 = 2 * (warped * warped - 1) * scale
    a2 = (1 - 2.0.squareRoot() * warped + warped * warped) * scale
    warmUpFrames = Int(2 * Double(sampleRate) / hertz)
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    for index in 0..<frames.count {
      let input = Double(frames[index])
      let output = b0 * input + first
      first = b1 * input - a1 * output + second
      second = b0 * input - a2 * output
      frames[index] = Float(output)
    }
  }
}

/// The same gain for all.
final class FixedGain: VoiceStage {
  let delayFrames = 0
  private let factor: Float

  init(decibels: Double) { factor = Float(pow(10, decibels / 20)) }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    for index in 0..<frames.count { frames[index] *= factor }
  }
}
