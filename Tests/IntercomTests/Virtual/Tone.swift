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

  /// The amplitude of this tone's frequency in what was heard: the mean of pieces of a twentieth of a second, as the
  /// phase turns where the listener's delay follows the talker.
  func level(in pcm: some Collection<Float>) -> Double {
    level(in: Array(pcm), pieceFrames: sampleRate / 20)
  }

  /// The same over the last swell, by pieces of a sixtieth of a second.
  func swellLevel(in pcm: [Float]) -> Double {
    let frames = sampleRate / 60
    return level(in: pcm.suffix(20 * frames), pieceFrames: frames)
  }

  private func level(in pcm: some RandomAccessCollection<Float>, pieceFrames: Int) -> Double {
    let pieces = max(1, pcm.count / pieceFrames)
    let last = Array(pcm.suffix(pieces * pieceFrames))
    let frames = last.count / pieces
    return (0..<pieces).reduce(0) {
      $0 + level(ofPiece: last[$1 * frames..<($1 + 1) * frames]) / Double(pieces)
    }
  }

  /// In a Hann window, as other tones swell meanwhile.
  private func level(ofPiece pcm: ArraySlice<Float>) -> Double {
    var (cosine, sine) = (0.0, 0.0)
    for (frame, sample) in pcm.enumerated() {
      let phase = 2 * .pi * hertz * Double(frame) / Double(sampleRate)
      let window = 1 - cos(2 * .pi * Double(frame) / Double(pcm.count))
      cosine += window * Double(sample) * cos(phase)
      sine += window * Double(sample) * sin(phase)
    }
    return 2 * (cosine * cosine + sine * sine).squareRoot() / Double(max(pcm.count, 1))
  }
}
