/// Decides from the level alone whether somebody talks.
///
/// States: talking, hanging over (level is low, but has not been for long), quiet. A frame at or
/// above the threshold leads to talking from everywhere; `hangOverFrames` of low level in a row
/// lead to quiet.
///
/// Constants: -65 dBov lies above the noise of a decent preamplifier with an open microphone in a
/// booth (about -75) and below breathing; a noisy hall never gets quiet, which is what listeners
/// expect of it. 300 ms spans the closures inside words and most gaps between them, so pauses are
/// pauses of speech, not holes in it.
struct VoiceActivity {
  /// Mean square of -65 dBov.
  static let thresholdMeanSquare: Float = 3.162_278e-7
  /// 300 ms.
  static let hangOverFrames = 14_400

  private var lowFrames = hangOverFrames

  /// False once the level has been low for the hang-over.
  var isTalking: Bool { lowFrames < Self.hangOverFrames }

  /// Takes the next frames' power.
  mutating func observe(meanSquare: Float, frames: Int) {
    if meanSquare >= Self.thresholdMeanSquare {
      lowFrames = 0
    } else {
      lowFrames = min(lowFrames + frames, Self.hangOverFrames)
    }
  }
}
