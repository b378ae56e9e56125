internal import Glibc

/// Brings speech to a level, and waits for speech to do so: what is between words keeps the gain that the words had.
///
/// The level is that of the blocks of 10 ms in which somebody talks, without those 16 dB below their mean (ITU-T P.56
/// counts so far down). The gain rises by 12 dB a second at most, and falls by 30.
final class AutomaticGain: VoiceStage {
  private static let gainDecibels = -12.0...32.0

  let delayFrames = 0
  private let blockFrames: Int
  private let smoothing: Float
  private var blockPower: Double = 0
  private var blockCount = 0
  private var speech: SpeechGain
  private var factor: Float = 1
  var gainDecibels: Double { speech.decibels }

  init(targetDBFS: Double, blockFrames: Int) {
    self.blockFrames = blockFrames
    speech = SpeechGain(targetDBFS: targetDBFS, range: Self.gainDecibels)
    smoothing = 2 / Float(blockFrames)
  }

  func follow(_ former: any VoiceStage) {
    if let former = former as? AutomaticGain {
      (speech, factor) = (former.speech.aimed(at: speech.targetDBFS), former.factor)
    }
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    let wanted = Float(pow(10, gainDecibels / 20))
    for index in 0..<frames.count {
      blockPower += Double(frames[index]) * Double(frames[index])
      factor += smoothing * (wanted - factor)
      frames[index] *= factor
    }
    blockCount += frames.count
    guard blockCount >= blockFrames else { return }
    if isSpeech { speech.learn(blockPower / Double(blockCount)) }
    (blockPower, blockCount) = (0, 0)
  }
}

/// The gain that brings speech to a level, from the powers of the blocks of 10 ms in which somebody talks.
struct SpeechGain {
  private enum Limit {
    static let risePerBlock = 0.12
    static let fallPerBlock = 0.3
    /// Blocks that are remembered, and that it takes to know anything.
    static let memoryBlocks = 150
    static let fewestBlocks = 15
    /// Below the mean is no speech but what is between it, in parts of the power.
    static let pausePower: Double = 0.025
    /// Blocks of it that are no pause in speech any more, but a voice that is lower for good; then the mean falls so
    /// much with each.
    static let pauseBlocks = 250
    static let pauseFade = 0.97
    /// Above is no speech, but a microphone that is hit or broken.
    static let power: ClosedRange<Double> = 1e-7...0.5
  }

  let targetDBFS: Double
  private let range: ClosedRange<Double>
  private(set) var decibels: Double
  private var speechPower: Double = 0
  private var (speechBlocks, lowBlocks) = (0, 0)

  /// - Parameter decibels: what it begins at.
  init(targetDBFS: Double, range: ClosedRange<Double>, decibels: Double = 0) {
    (self.targetDBFS, self.range, self.decibels) = (targetDBFS, range, decibels)
  }

  /// The same, that knows as much of the voice, for another level.
  func aimed(at targetDBFS: Double) -> SpeechGain {
    var other = SpeechGain(targetDBFS: targetDBFS, range: range)
    (other.decibels, other.speechPower, other.speechBlocks) = (decibels, speechPower, speechBlocks)
    return other
  }

  /// Takes the power of a block of speech.
  mutating func learn(_ power: Double) {
    guard Limit.power.contains(power) else { return }
    if power < speechPower * Limit.pausePower {
      lowBlocks += 1
      if lowBlocks > Limit.pauseBlocks { speechPower *= Limit.pauseFade }
    } else {
      lowBlocks = 0
      speechBlocks = min(speechBlocks + 1, Limit.memoryBlocks)
      speechPower += (power - speechPower) / Double(speechBlocks)
    }
    guard speechBlocks >= Limit.fewestBlocks else { return }
    let change = targetDBFS - 10 * log10(speechPower) - decibels
    decibels += min(max(change, -Limit.fallPerBlock), Limit.risePerBlock)
    decibels = min(max(decibels, range.lowerBound), range.upperBound)
  }
}

/// How much louder or lower a talker is to be heard, so that all are alike; learned while a detector hears speech.
///
/// Made on any thread, then used by one. Nothing that is called for each frame allocates.
public final class TalkerLevel {
  /// The level that talkers are brought to, dBFS: that of a voice under ``VoiceSettings/Gain/auto``.
  public static let targetDBFS = -20.0
  /// Less than for a microphone: what is raised here is raised with the noise that comes with it.
  public static let gainDecibels = -12.0...12.0

  /// The rate that it was made for.
  public let sampleRate: Int
  private let blockFrames: Int
  private let detector: VoiceDetector
  private var speech: SpeechGain
  private var blockPower: Double = 0
  private var blockCount = 0

  /// One that has heard nothing; nil: out of memory, or a rate that cannot be converted.
  ///
  /// - Parameter decibels: what it begins at.
  public init?(sampleRate: Int, decibels: Double) {
    let block = VoiceFormat(sampleRate: sampleRate).blockFrames
    guard let detector = VoiceDetector(sampleRate: sampleRate, blockFrames: block) else {
      return nil
    }
    (self.sampleRate, blockFrames, self.detector) = (sampleRate, block, detector)
    speech = SpeechGain(
      targetDBFS: Self.targetDBFS, range: Self.gainDecibels, decibels: decibels)
  }

  /// What it has come to, dB.
  public var decibels: Double { speech.decibels }

  /// Listens to what is heard of the talker, before any gain.
  public func observe(_ frames: Span<Float>) {
    var start = 0
    while start < frames.count {
      let count = min(frames.count - start, blockFrames - blockCount)
      let piece = frames.extracting(start..<start + count)
      for index in 0..<count { blockPower += Double(piece[index]) * Double(piece[index]) }
      detector.observe(piece)
      (start, blockCount) = (start + count, blockCount + count)
      guard blockCount == blockFrames else { return }
      if detector.isSpeech { speech.learn(blockPower / Double(blockFrames)) }
      (blockPower, blockCount) = (0, 0)
    }
  }
}
