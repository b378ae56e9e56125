internal import Glibc

/// A room around a voice: eight combs beside each other, then four all-pass filters (Schroeder's network, with the
/// lengths that Freeverb has), beside the voice itself.
final class ReverbEffect: VoiceStage {
  /// How long it takes to fall by 60 dB.
  static let decaySeconds = 1.1
  private static let (dry, wet) = (Float(0.8), Float(0.35))
  /// Above it falls faster.
  private static let softHertz = 5000.0
  /// At 44.1 kHz.
  private static let combFrames = [1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617]
  private static let diffuserFrames = [556, 441, 341, 225]
  private static let diffusion: Float = 0.5
  /// What is less is silence: so that it ends, and that no number gets so small that it is slow.
  private static let silence: Float = 1e-8

  let delayFrames = 0
  private var combs: [Line]
  private var diffusers: [Line]
  private let softness: Float

  /// A delay line.
  private struct Line {
    var memory: [Float]
    var place = 0
    let feedback: Float
    var low: Float = 0

    init(frames: Int, feedback: Float) {
      memory = [Float](repeating: 0, count: max(1, frames))
      self.feedback = feedback
    }

    mutating func put(_ sample: Float) {
      memory[place] = abs(sample) < ReverbEffect.silence ? 0 : sample
      place = place + 1 == memory.count ? 0 : place + 1
    }
  }

  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    combs = Self.combFrames.map { frames in
      let seconds = Double(frames) / 44_100
      return Line(
        frames: Int((seconds * rate).rounded()),
        feedback: Float(pow(10, -3 * seconds / Self.decaySeconds)))
    }
    diffusers = Self.diffuserFrames.map { frames in
      Line(
        frames: Int((Double(frames) / 44_100 * rate).rounded()), feedback: Self.diffusion)
    }
    softness = Float(exp(-2 * .pi * Self.softHertz / rate))
  }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    for index in 0..<frames.count {
      let voice = frames[index]
      var sum: Float = 0
      for comb in combs.indices {
        let late = combs[comb].memory[combs[comb].place]
        sum += late
        let low = late + softness * (combs[comb].low - late)
        combs[comb].low = abs(low) < Self.silence ? 0 : low
        combs[comb].put(voice + combs[comb].feedback * low)
      }
      var room = sum / Float(combs.count)
      for diffuser in diffusers.indices {
        let late = diffusers[diffuser].memory[diffusers[diffuser].place]
        let early = room + diffusers[diffuser].feedback * late
        room = late - diffusers[diffuser].feedback * early
        diffusers[diffuser].put(early)
      }
      frames[index] = Self.dry * voice + Self.wet * room
    }
  }
}
