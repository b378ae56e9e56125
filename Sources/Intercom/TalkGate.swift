/// The gate that the talk key opens and closes, in 5 ms: the start of a word is not lost, and there is no click.
///
/// A position moves from 0 (closed) to 1 (open), and the gain is p²(3 − 2p), close to a raised cosine: its slope is 0
/// at both ends.
struct TalkGate {
  /// Changes that a second has room for.
  private static let changesPerSecond: Float = 200

  /// Where it moves; closed at first.
  var isOpen = false
  private var position: Float = 0

  /// Lets frames pass, or none of them: closed, it leaves silence, and open each frame as it is.
  mutating func apply(to frames: inout MutableSpan<Float>, sampleRate: Int) {
    let step = Self.changesPerSecond / Float(sampleRate)
    var index = 0
    if isOpen {
      while index < frames.count, position < 1 {
        position = min(position + step, 1)
        frames[index] *= gain
        index += 1
      }
      return
    }
    while index < frames.count, position > 0 {
      position = max(position - step, 0)
      frames[index] *= gain
      index += 1
    }
    while index < frames.count {
      frames[index] = 0
      index += 1
    }
  }

  private var gain: Float { position * position * (3 - 2 * position) }
}
