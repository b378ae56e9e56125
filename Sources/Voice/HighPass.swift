internal import Glibc

/// Takes out what is below a frequency: a Butterworth filter of the second order, 12 dB an octave.
final class HighPass: VoiceStage {
  let delayFrames = 0
  /// As long as the filter takes to forget that it knew nothing.
  let warmUpFrames: Int
  private var filter: Biquad

  init(hertz: Double, sampleRate: Int) {
    filter = Biquad(hertz, quality: 0.5.squareRoot(), isHigh: true, Double(sampleRate))
    warmUpFrames = Int(2 * Double(sampleRate) / hertz)
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    for index in 0..<frames.count { frames[index] = Float(filter.step(Double(frames[index]))) }
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
