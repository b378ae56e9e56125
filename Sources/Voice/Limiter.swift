internal import Glibc

/// Lets no sample above a ceiling: the gain is down before the peak comes, which takes a delay of 1 ms, and up again
/// in some 80 ms.
///
/// The gain that each sample needs is held for the look-ahead (a sliding minimum), lets go slowly, and is averaged over
/// the look-ahead: the mean of gains that all suffice suffices, and has no step.
final class Limiter: VoiceStage {
  let delayFrames: Int
  private var peaks: LoweredPeaks

  init(ceilingDBFS: Double, sampleRate: Int) {
    peaks = LoweredPeaks(ceilingDBFS: ceilingDBFS, sampleRate: sampleRate)
    delayFrames = peaks.delayFrames
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) { peaks.process(&frames) }
}

/// What a ``Limiter`` knows: a value, of which each piece is one access.
private struct LoweredPeaks {
  private static let lookAheadSeconds = 0.001
  private static let releaseSeconds = 0.08

  let delayFrames: Int
  private let ceiling: Float
  private let release: Double
  private var past: [Float]
  private var gains: [Double]
  private var sum: Double
  private var place = 0
  private var gain = 1.0
  /// Gains that may yet be the least of the look-ahead, falling in age and rising in value: a ring.
  private var least: [(frame: Int, gain: Float)]
  private var (oldest, waiting, frame) = (0, 0, 0)

  init(ceilingDBFS: Double, sampleRate: Int) {
    delayFrames = max(1, Int((Self.lookAheadSeconds * Double(sampleRate)).rounded()))
    ceiling = Float(pow(10, ceilingDBFS / 20))
    release = 1 - exp(-1 / (Self.releaseSeconds * Double(sampleRate)))
    past = [Float](repeating: 0, count: delayFrames)
    gains = [Double](repeating: 1, count: delayFrames)
    sum = Double(delayFrames)
    least = [(Int, Float)](repeating: (0, 1), count: delayFrames + 2)
  }

  mutating func process(_ frames: inout MutableSpan<Float>) {
    for index in 0..<frames.count {
      let input = frames[index]
      let size = abs(input)
      let needed = Double(leastGain(with: size > ceiling ? ceiling / size : 1))
      gain = needed < gain ? needed : gain + release * (needed - gain)
      sum += gain - gains[place]
      gains[place] = gain
      let output = past[place] * Float(sum / Double(delayFrames))
      past[place] = input
      place += 1
      if place == delayFrames {
        place = 0
        sum = gains.reduce(0, +)
      }
      // The mean's rounding must not be heard as a clipped sample either.
      frames[index] = min(ceiling, max(-ceiling, output))
    }
  }

  private mutating func leastGain(with gain: Float) -> Float {
    frame &+= 1
    while waiting > 0, least[(oldest + waiting - 1) % least.count].gain >= gain { waiting -= 1 }
    least[(oldest + waiting) % least.count] = (frame, gain)
    waiting += 1
    while frame - least[oldest].frame > delayFrames {
      oldest = (oldest + 1) % least.count
      waiting -= 1
    }
    return least[oldest].gain
  }
}
