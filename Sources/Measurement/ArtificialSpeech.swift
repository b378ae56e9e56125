internal import Glibc

/// Something like speech, for tests of what speech is sent over: a source and a filter, as in a throat.
///
/// Pulses of a falling and rising pitch, or noise, through three resonances that glide from sound to sound: syllables
/// of five a second, with closures, hisses and pauses. Nobody understands it, but its bands and envelopes move as those
/// of speech do, which is what ``Intelligibility`` looks at. The same at every call.
public enum ArtificialSpeech {
  /// The sounds of a syllable's beginning.
  private enum Onset { case closure, hiss, none }

  /// A vowel by its first three resonances, Hz.
  private static let vowels: [[Double]] = [
    [730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480], [570, 840, 2410],
    [440, 1020, 2240], [390, 1990, 2550], [640, 1190, 2390],
  ]
  private static let bandwidthsHertz = [80.0, 100, 140]
  private static let syllableSeconds = 0.2
  private static let onsetSeconds = 0.07
  /// Every so many syllables a pause of one.
  private static let phraseSyllables = 6

  /// So many seconds of it; mono, full scale 1.0, its loudest frame at `peak`.
  public static func frames(seconds: Double, sampleRate: Int, peak: Float = 0.3) -> [Float] {
    let rate = Double(sampleRate)
    var throat = Throat(rate: rate)
    var sound = (0..<Int(seconds * rate)).map { index -> Double in
      let time = Double(index) / rate
      let syllable = Int(time / syllableSeconds)
      let within = time - Double(syllable) * syllableSeconds
      return throat.next(excitation(syllable, within), resonances: resonances(syllable, within))
    }
    let loudest = sound.reduce(0) { max($0, abs($1)) }
    if loudest > 0 { sound = sound.map { $0 / loudest } }
    return sound.map { peak * Float($0) }
  }

  /// How loud voice and hiss are in a moment of a syllable, and how high the voice, Hz.
  private static func excitation(_ syllable: Int, _ within: Double) -> Throat.Excitation {
    guard syllable % (phraseSyllables + 1) != phraseSyllables else { return .silence }
    let phrase = Double(syllable % (phraseSyllables + 1)) / Double(phraseSyllables)
    let pitch = 150 - 50 * phrase + 12 * sin(2 * .pi * within / syllableSeconds)
    let isOnset = within < onsetSeconds
    let vowelSeconds = syllableSeconds - onsetSeconds / 2
    let swell = sin(.pi * min(1, max(0, within - onsetSeconds / 2) / vowelSeconds))
    switch (isOnset, onset(syllable)) {
    case (true, .closure):
      return within > onsetSeconds - 0.015
        ? Throat.Excitation(voice: 0, hiss: 0.5, pitchHertz: pitch) : .silence
    case (true, .hiss):
      return Throat.Excitation(
        voice: 0, hiss: 0.3 * sin(.pi * within / onsetSeconds), pitchHertz: pitch)
    default: return Throat.Excitation(voice: swell, hiss: 0.01, pitchHertz: pitch)
    }
  }

  private static func onset(_ syllable: Int) -> Onset {
    switch syllable * 7 % 5 {
    case 0, 2: .closure
    case 1, 4: .hiss
    default: .none
    }
  }

  private static func resonances(_ syllable: Int, _ within: Double) -> [Double] {
    let now = vowels[syllable * 3 % vowels.count]
    let before = vowels[max(0, syllable - 1) * 3 % vowels.count]
    let way = min(1, within / onsetSeconds)
    return zip(before, now).map { $0 + ($1 - $0) * way }
  }

  /// The source, and the resonances in a row.
  private struct Throat {
    struct Excitation {
      static let silence = Excitation(voice: 0, hiss: 0, pitchHertz: 100)
      var voice: Double
      var hiss: Double
      var pitchHertz: Double
    }

    let rate: Double
    private var phase = 0.0
    private var pulse = 0.0
    private var noise: UInt32 = 1
    private var memory = [(Double, Double)](repeating: (0, 0), count: 3)

    init(rate: Double) { self.rate = rate }

    mutating func next(_ excitation: Excitation, resonances: [Double]) -> Double {
      phase += excitation.pitchHertz / rate
      let isBeat = phase >= 1
      if isBeat { phase -= 1 }
      // A pulse that dies away in a millisecond: -12 dB an octave, as of vocal cords and lips.
      pulse = pulse * exp(-1000 / rate) + (isBeat ? 1 : 0)
      noise = noise &* 1_664_525 &+ 1_013_904_223
      let hiss = Double(Int32(bitPattern: noise)) / Double(Int32.max)
      var sound = excitation.voice * pulse + excitation.hiss * hiss
      for (index, hertz) in resonances.enumerated() {
        let decay = exp(-.pi * bandwidthsHertz[index] / rate)
        let feedback = 2 * decay * cos(2 * .pi * hertz / rate)
        let (last, before) = memory[index]
        let gain = 1 - feedback + decay * decay
        let resonance = gain * sound + feedback * last - decay * decay * before
        memory[index] = (resonance, last)
        sound = resonance + 0.05 * sound
      }
      return sound
    }
  }
}
