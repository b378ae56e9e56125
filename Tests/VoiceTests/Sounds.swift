import Glibc
import Measurement
import TestKit

@testable import Voice

/// Sounds for tests of the voice chain, and what is measured of them.
enum Sounds {
  /// A sine, peak 0…1.
  static func sine(_ hertz: Double, _ peak: Double, seconds: Double, rate: Int = 48_000) -> [Float]
  {
    (0..<Int(seconds * Double(rate))).map {
      Float(peak * sin(2 * .pi * hertz * Double($0) / Double(rate)))
    }
  }

  /// White noise of an RMS level, dBFS.
  static func noise(_ levelDBFS: Double, seconds: Double, rate: Int = 48_000, seed: UInt64 = 1)
    -> [Float]
  {
    var random = SplitMix64(seed: seed)
    let size = pow(10, levelDBFS / 20)
    return (0..<Int(seconds * Double(rate))).map { _ in Float(size * random.gaussian()) }
  }

  /// Artificial speech of an RMS level, dBFS.
  static func speech(_ levelDBFS: Double, seconds: Double, rate: Int = 48_000) -> [Float] {
    let sound = ArtificialSpeech.frames(seconds: seconds, sampleRate: rate)
    let factor = Float(pow(10, (levelDBFS - level(sound)) / 20))
    return sound.map { $0 * factor }
  }

  /// The RMS level, dBFS.
  static func level(_ sound: some Collection<Float>) -> Double {
    let power = sound.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, sound.count))
    return 10 * log10(power + 1e-20)
  }

  /// The RMS level of a tone within a sound, dBFS: Goertzel's algorithm over all of it.
  static func level(
    of hertz: Double, in sound: some Collection<Float>, rate: Int = 48_000
  ) -> Double {
    let turn = 2 * cos(2 * .pi * hertz / Double(rate))
    var (last, former) = (0.0, 0.0)
    for sample in sound { (last, former) = (Double(sample) + turn * last - former, last) }
    let power = last * last + former * former - turn * last * former
    let count = Double(sound.count)
    return 10 * log10(2 * power / (count * count) + 1e-20)
  }

  /// The greatest second difference: of a slow sine next to nothing, of a step its height.
  static func roughness(_ sound: some RandomAccessCollection<Float>) -> Double {
    let sound = Array(sound)
    var most: Float = 0
    for index in 1..<max(1, sound.count - 1) {
      let bend = sound[index - 1] - 2 * sound[index] + sound[index + 1]
      most = max(most, abs(bend))
    }
    return Double(most)
  }
}

extension VoiceSettings {
  /// Settings as a user writes them.
  init(_ texts: [Name: String]) throws {
    self.init()
    for (name, text) in texts { try set(name, to: text) }
  }
}

extension VoiceChain {
  /// What comes out of a sound that goes in by frames of such lengths, over and over.
  func treat(_ sound: [Float], frames: [Int] = [480]) -> [Float] {
    var sound = sound
    var (start, index) = (0, 0)
    while start < sound.count {
      let end = min(start + frames[index % frames.count], sound.count)
      var all = sound.mutableSpan
      var frame = all._mutatingExtracting(start..<end)
      process(&frame)
      (start, index) = (end, index + 1)
    }
    return sound
  }

  /// Changes the settings as a node does.
  func change(to settings: VoiceSettings) -> Bool {
    apply(VoiceChange(from: self.settings, to: settings, format: format))
  }
}
