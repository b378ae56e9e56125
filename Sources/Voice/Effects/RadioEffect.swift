internal import Glibc

/// A voice as over a radio: 300 to 3400 Hz, mildly overdriven, a little noise under it and a squelch tail behind it.
///
/// Band, overdrive, noise, band again, so that what the overdrive makes stays inside. The squelch opens at a level
/// within the band and shuts a while after it; while it is shut there is no noise.
final class RadioEffect: VoiceStage {
  private enum Sound {
    static let (lowHertz, highHertz) = (300.0, 3400.0)
    /// How far it is overdriven, and what is left of full scale then.
    static let (drive, size) = (Float(3), Float(0.5))
    /// Amplitudes of the noise before the last filter.
    static let (noise, tail) = (Float(0.004), Float(0.04))
    static let noiseSeconds = 0.004
  }

  private enum Squelch {
    /// Powers within the band at which it opens and stays open: -50 and -56 dBFS.
    static let (open, stay) = (Float(1e-5), Float(2.5e-6))
    static let (levelSeconds, holdSeconds, tailSeconds) = (0.01, 0.2, 0.09)
  }

  let delayFrames = 0
  /// As long as the filters take to forget that they knew nothing; the squelch stays shut meanwhile.
  let warmUpFrames: Int
  private var before: [Biquad]
  private var after: [Biquad]
  private let (levelStep, noiseStep): (Float, Float)
  private let (holdFrames, tailFrames): (Int, Int)
  private var power: Float = 0
  private var (unsettled, held, tail): (Int, Int, Int)
  private var noise: Float = 0
  private var random: UInt32 = 0x9E37_79B9

  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    let (low, high) = (Sound.lowHertz, Sound.highHertz)
    before = Biquad.highPass(low, order: 4, rate) + Biquad.lowPass(high, order: 2, rate)
    after = Biquad.highPass(low, order: 2, rate) + Biquad.lowPass(high, order: 4, rate)
    levelStep = Float(1 - exp(-1 / (Squelch.levelSeconds * rate)))
    noiseStep = Float(1 - exp(-1 / (Sound.noiseSeconds * rate)))
    (holdFrames, tailFrames) = (Int(Squelch.holdSeconds * rate), Int(Squelch.tailSeconds * rate))
    warmUpFrames = Int(8 * rate / low)
    (unsettled, held, tail) = (warmUpFrames, 0, 0)
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    for index in 0..<frames.count {
      var sample = Double(frames[index])
      for filter in before.indices { sample = before[filter].step(sample) }
      let voice = Float(sample)
      sample = Double(Sound.size * tanhf(Sound.drive * voice) + hiss(voice))
      for filter in after.indices { sample = after[filter].step(sample) }
      frames[index] = Float(sample)
    }
  }

  /// The noise beside a sample of the voice.
  private func hiss(_ voice: Float) -> Float {
    power += levelStep * (voice * voice - power)
    if unsettled > 0 {
      (unsettled, power) = (unsettled - 1, 0)
    } else if power > (held > 0 ? Squelch.stay : Squelch.open) {
      (held, tail) = (holdFrames, tailFrames)
    } else if held > 0 {
      held -= 1
    } else if tail > 0 {
      tail -= 1
    }
    let wanted = held > 0 ? Sound.noise : tail > 0 ? Sound.tail : 0
    noise += noiseStep * (wanted - noise)
    guard noise > 1e-7 else {
      noise = 0
      return 0
    }
    // Marsaglia's xorshift: white enough for noise.
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return noise * Float(Int32(bitPattern: random)) / Float(Int32.max)
  }
}
