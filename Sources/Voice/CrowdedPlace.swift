internal import Glibc

/// How much a suppressor takes from a voice with the noise, and so how much of the pauses to leave untouched.
///
/// From a voice in music next to nothing is taken, in a crowd 2 dB and more. There a voice is understood a little
/// better where pauses are not emptied. What is said stays as the suppressor has it.
struct CrowdedPlace {
  private enum Shape {
    /// So much taken from blocks with a voice, dB in the mean, is music yet; and so much, a crowd.
    static let (music, crowd): (Float, Float) = (-1.2, -2.2)
    /// What is left untouched of pauses then.
    static let most: Float = 0.1
    /// A block more probable than so is of a voice.
    static let voice: Float = 0.5
    /// The mean is that of some two seconds of voice; pauses begin and end in some 0.1 s.
    static let (learning, smoothing): (Float, Float) = (0.005, 0.1)
    /// One block counts for no more.
    static let mostTaken: Float = -20
    /// Silence tells nothing.
    static let least: Float = 1e-9
  }

  /// What is taken from a voice, dB.
  private var taken: Float = 0
  /// How much of a pause it is.
  private var pause: Float = 0

  /// How much to leave as it is of what comes, 0…1.
  ///
  /// - Parameters:
  ///   - power: of a block of 10 ms.
  ///   - left: what is left of it.
  ///   - voice: how probable it is that there is a voice in it.
  mutating func untouchedShare(
    after power: Float, suppressedTo left: Float, voice: Float
  ) -> Float {
    let voice = voice >= 0 ? min(voice, 1) : 0
    if voice > Shape.voice, power > Shape.least, power.isFinite, left >= 0 {
      let now = 10 * log10f(max(left, Shape.least * Shape.least) / power)
      taken += Shape.learning * (min(0, max(Shape.mostTaken, now)) - taken)
    }
    pause += Shape.smoothing * (1 - voice - pause)
    let crowd = (Shape.music - taken) / (Shape.music - Shape.crowd)
    return Shape.most * pause * min(1, max(0, crowd))
  }
}
