/// The limiter of the recorded mix, with the law of the live one (rt_limiter.c): both sides alike, no look-ahead.
///
/// Above -1 dBFS a soft knee that ends below full scale; let go of within a tenth of a second.
struct MixLimiter {
  private static let threshold: Float = 0.891
  private static let kneeWidth: Float = 0.99 - 0.891
  private static let releaseSeconds: Float = 0.1
  /// Below −100 dB of gain change nobody hears the limiter end.
  private static let released: Float = 1e-5

  private let keep: Float
  private var reduction: Float = 0

  /// For frames at that rate, in hertz.
  init(sampleRate: Int) {
    keep = 1 - 1 / (Self.releaseSeconds * Float(sampleRate))
  }

  /// Limits interleaved frames of two channels.
  mutating func apply(to pcm: inout MutableSpan<Float>) {
    for frame in 0..<(pcm.count / 2) {
      let magnitude = max(pcm[2 * frame].magnitude, pcm[2 * frame + 1].magnitude)
      reduction = reduction > Self.released ? reduction * keep : 0
      if magnitude > Self.threshold {
        let excess = magnitude - Self.threshold
        let limited = Self.threshold + Self.kneeWidth * excess / (excess + Self.kneeWidth)
        reduction = max(reduction, 1 - limited / magnitude)
      }
      pcm[2 * frame] *= 1 - reduction
      pcm[2 * frame + 1] *= 1 - reduction
    }
  }
}
