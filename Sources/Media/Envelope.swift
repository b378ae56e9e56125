/// A gain that moves linearly, so that sound begins and ends without a click.
struct Envelope {
  private(set) var gain: Float = 0
  private var target: Float = 0
  private var step: Float = 0

  /// Mutes at once; for use in silence.
  mutating func silence() {
    gain = 0
    target = 0
    step = 0
  }

  /// Goes up to 1; a whole fade takes `frames`.
  mutating func rise(frames: Int) {
    target = 1
    step = 1 / Float(frames)
  }

  /// Goes down to 0 within `frames`.
  mutating func fall(frames: Int) {
    target = 0
    step = -gain / Float(max(frames, 1))
  }

  /// Applies the gain to the first `frames` of `pcm`.
  mutating func apply(to pcm: inout MutableSpan<Float>, frames: Int) {
    if gain == 1 && target == 1 { return }
    for index in 0..<frames { pcm[index] *= next() }
  }

  /// The gain of the next frame.
  mutating func next() -> Float {
    gain = step >= 0 ? min(gain + step, target) : max(gain + step, target)
    return gain
  }
}

/// Fades out without the decoder, whose state so stays in step with the encoder's.
///
/// The last frames are played backwards while they fade: no step, and at the end of a talk spurt
/// nobody can tell.
struct ClosingFade {
  /// 5 ms: too short to be heard as an echo, long enough not to click.
  static let frames = 240

  /// The end of what was played.
  private(set) var tail = [Float](repeating: 0, count: frames)

  /// Keeps the end of what is played.
  mutating func remember(_ pcm: borrowing MutableSpan<Float>, frames: Int) {
    let kept = min(frames, Self.frames)
    let moved = Self.frames - kept
    for index in 0..<moved { tail[index] = tail[index + kept] }
    for index in 0..<kept { tail[moved + index] = pcm[frames - kept + index] }
  }

  /// Writes the fade to the start of `pcm`; then there is silence to remember.
  mutating func write(into pcm: inout MutableSpan<Float>) -> Int {
    for index in 0..<Self.frames {
      let gain = 1 - Float(index + 1) / Float(Self.frames)
      pcm[index] = tail[Self.frames - 1 - index] * gain
    }
    for index in 0..<Self.frames { tail[index] = 0 }
    return Self.frames
  }
}

/// Power of a signal, and power as decibels, without a mathematics library.
enum Loudness {
  /// The mean square of `pcm`; 0 when it is empty.
  static func meanSquare(_ pcm: Span<Float>) -> Float {
    guard !pcm.isEmpty else { return 0 }
    var sum: Float = 0
    for index in pcm.indices { sum += pcm[index] * pcm[index] }
    return sum / Float(pcm.count)
  }

  /// 10 log10 of a mean square: dBov, as full scale is 1.0 (RFC 6464 §3); -127 for silence and for
  /// what is no number.
  ///
  /// Exact to 0.01 dB.
  static func decibels(meanSquare: Float) -> Float {
    guard meanSquare > 0, meanSquare.isFinite else { return -127 }
    // log2 of the significand, 1 ..< 2, by the series of the inverse hyperbolic tangent.
    let z = (meanSquare.significand - 1) / (meanSquare.significand + 1)
    let z2 = z * z
    let series = z * (1 + z2 * (1 / 3 + z2 * (1 / 5 + z2 / 7)))
    let log2 = Float(meanSquare.exponent) + series * 2.885_390
    return max(-127, 3.010_300 * log2)
  }
}
