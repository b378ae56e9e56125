internal import Glibc

/// Brings speech to a level, and waits for speech to do so: what is between words keeps the gain that the words had.
///
/// The level is that of the blocks of 10 ms in which somebody talks, without those 16 dB below their mean (ITU-T P.56
/// counts so far down). The gain rises by 12 dB a second at most, and falls by 30.
final class AutomaticGain: VoiceStage {
  private enum Limit {
    static let gainDecibels = -12.0...32.0
    static let risePerBlock = 0.12
    static let fallPerBlock = 0.3
    /// Blocks that are remembered, and that it takes to know anything.
    static let memoryBlocks = 150
    static let fewestBlocks = 15
    /// Below the mean is no speech but what is between it, in parts of the power.
    static let pausePower: Double = 0.025
    /// Blocks of it that are no pause in speech any more, but a voice that is lower for good; then the mean falls so
    /// much with each.
    static let pauseBlocks = 50
    static let pauseFade = 0.97
    /// Above is no speech, but a microphone that is hit or broken.
    static let power: ClosedRange<Double> = 1e-7...0.5
  }

  let delayFrames = 0
  private let blockFrames: Int
  private let targetDBFS: Double
  private let smoothing: Float
  private var blockPower: Double = 0
  private var blockCount = 0
  private var speechPower: Double = 0
  private var (speechBlocks, lowBlocks) = (0, 0)
  private var factor: Float = 1
  private(set) var gainDecibels = 0.0

  init(targetDBFS: Double, blockFrames: Int) {
    (self.blockFrames, self.targetDBFS) = (blockFrames, targetDBFS)
    smoothing = 2 / Float(blockFrames)
  }

  func follow(_ former: any VoiceStage) {
    if let former = former as? AutomaticGain {
      (speechPower, speechBlocks) = (former.speechPower, former.speechBlocks)
      (factor, gainDecibels) = (former.factor, former.gainDecibels)
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
    if isSpeech { learn(blockPower / Double(blockCount)) }
    (blockPower, blockCount) = (0, 0)
  }

  private func learn(_ power: Double) {
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
    let wanted = targetDBFS - 10 * log10(speechPower)
    let change = wanted - gainDecibels
    gainDecibels += min(max(change, -Limit.fallPerBlock), Limit.risePerBlock)
    gainDecibels = min(
      max(gainDecibels, Limit.gainDecibels.lowerBound), Limit.gainDecibels.upperBound)
  }
}
