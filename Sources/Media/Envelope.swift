/// A gain that moves linearly, so that sound begins and ends without a click.
struct Envelope {
  private(set) var gain: Float = 0
  private var target: Float = 0
  private var step: Float = 0

  /// Becomes silent at once; for when nothing sounds.
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
