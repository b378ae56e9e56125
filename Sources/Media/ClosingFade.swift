/// Lets the sound end without asking the decoder, whose memory so stays in step with the encoder's.
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
