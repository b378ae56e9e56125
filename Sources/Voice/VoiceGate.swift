internal import Glibc

/// Lets pass what is speech, or loud enough, and for a while what comes after it.
///
/// States: *open* while the level is above the threshold (or the detector hears a voice), and for the hold after that;
/// then *shut*. A gate that is open stays so down to 6 dB below the threshold. The gain moves between the two on
/// p²(3 − 2p). With a look-back the sound comes out late, so that the start of a word is not lost. It begins shut, but
/// open where it takes a place while somebody may be talking.
final class VoiceGate: VoiceStage {
  /// What a gate is like.
  struct Shape: Hashable {
    /// What passes while it is shut, linear.
    var floor: Float
    var lookBackSeconds: Double
    var holdSeconds: Double
    var openSeconds: Double
    var shutSeconds: Double

    /// Lowers what is between words.
    static let gate = Shape(
      floor: Float(pow(10, VoiceSettings.gateDepthDecibels / 20)), lookBackSeconds: 0,
      holdSeconds: 0.25, openSeconds: 0.004, shutSeconds: 0.12)
    /// Silent but for speech.
    static let vox = Shape(
      floor: 0, lookBackSeconds: 0.03, holdSeconds: 0.7, openSeconds: 0.02, shutSeconds: 0.06)
  }

  /// The power, 6 dB, that is between opening and shutting.
  private static let hysteresisPower: Float = 0.25
  private static let levelSeconds = 0.008

  let delayFrames: Int
  private let floor: Float
  /// What opens it, as power; nil: speech.
  private let openPower: Float?
  private let levelStep: Float
  private let (openStep, shutStep): (Float, Float)
  private let holdFrames: Int
  private var power: Float = 0
  private var held: Int
  /// 0: shut.
  private var position: Float = 1
  private var past: DelayLine

  /// - Parameter thresholdDBFS: RMS; nil: the detector decides.
  init(_ shape: Shape, thresholdDBFS: Double?, sampleRate: Int) {
    let rate = Double(sampleRate)
    floor = shape.floor
    openPower = thresholdDBFS.map { Float(pow(10, $0 / 10)) }
    levelStep = Float(1 - exp(-1 / (Self.levelSeconds * rate)))
    openStep = Float(1 / (shape.openSeconds * rate))
    shutStep = Float(1 / (shape.shutSeconds * rate))
    holdFrames = Int(shape.holdSeconds * rate)
    held = holdFrames
    delayFrames = Int((shape.lookBackSeconds * rate).rounded())
    past = DelayLine(frames: delayFrames)
  }

  func begin() { (held, position) = (0, 0) }

  /// Whether it lets pass what comes, or what came a moment ago.
  var isOpen: Bool { held > 0 || position > 0 }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    let hears = openPower == nil && isSpeech
    for index in 0..<frames.count {
      let input = frames[index]
      if let openPower {
        power += levelStep * (input * input - power)
        let limit = held > 0 ? openPower * Self.hysteresisPower : openPower
        held = power > limit ? holdFrames : max(0, held - 1)
      } else {
        held = hears ? holdFrames : max(0, held - 1)
      }
      position = held > 0 ? min(1, position + openStep) : max(0, position - shutStep)
      let share = position * position * (3 - 2 * position)
      frames[index] = past.pass(input) * (floor + (1 - floor) * share)
    }
  }
}
