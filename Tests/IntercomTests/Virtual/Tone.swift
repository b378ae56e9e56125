import Glibc

/// A tone that comes and goes three times a second, so that it counts as voice, and its measure.
struct Tone {
  var hertz: Double
  var sampleRate = 48_000
  var amplitude = 0.25

  /// The tone's sample at a frame.
  func sample(_ frame: Int) -> Float {
    let time = Double(frame) / Double(sampleRate)
    let swell = 0.6 + 0.4 * sin(2 * .pi * 3 * time)
    return Float(amplitude * swell * sin(2 * .pi * hertz * time))
  }

  /// The amplitude of this tone's frequency in what was heard.
  func level(in pcm: some Collection<Float>) -> Double {
    var (cosine, sine) = (0.0, 0.0)
    for (frame, sample) in pcm.enumerated() {
      let phase = 2 * .pi * hertz * Double(frame) / Double(sampleRate)
      cosine += Double(sample) * cos(phase)
      sine += Double(sample) * sin(phase)
    }
    return 2 * (cosine * cosine + sine * sine).squareRoot() / Double(max(pcm.count, 1))
  }

  /// The same over the last swell, where a splice may have turned the phase, as the listener's delay follows the
  /// talker: the mean of pieces of a sixtieth of a second, of which it spoils one.
  func swellLevel(in pcm: [Float]) -> Double {
    let (pieces, frames) = (20, sampleRate / 60)
    let last = pcm.suffix(pieces * frames)
    let levels = stride(from: last.startIndex, to: last.endIndex, by: frames).map { start in
      level(in: last[start..<min(start + frames, last.endIndex)])
    }
    return levels.reduce(0, +) / Double(pieces)
  }
}
