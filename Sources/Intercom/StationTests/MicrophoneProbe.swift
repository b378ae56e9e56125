import Glibc
import Measurement
import Voice

/// What a microphone is like, as a test found it.
public struct MicrophoneMeasurement: Sendable, Hashable {
  /// Speech that was heard.
  public var speechSeconds = 0.0
  /// Highest peak, dBFS; -120 where nothing came.
  public var peakDBFS = -120.0
  /// Active level of speech; nil: too little was heard.
  public var speechLevelDBFS: Double?
  /// Level between words.
  public var noiseLevelDBFS = -120.0
  /// Samples that stand at a ceiling.
  public var clippedPercent = 0.0
  /// Hum of the mains: frequency and level with its harmonics; nil: there is none.
  public var hum: (hertz: Double, levelDBFS: Double)? {
    get { humHertz.flatMap { hertz in humLevelDBFS.map { (hertz, $0) } } }
    set { (humHertz, humLevelDBFS) = (newValue?.hertz, newValue?.levelDBFS) }
  }
  /// How much of what the ear gets is in the microphone, and how late; nil: nothing was found.
  public var echo: (decibels: Double, milliseconds: Double)? {
    get { echoDecibels.flatMap { level in echoMilliseconds.map { (level, $0) } } }
    set { (echoDecibels, echoMilliseconds) = (newValue?.decibels, newValue?.milliseconds) }
  }
  private var humHertz, humLevelDBFS, echoDecibels, echoMilliseconds: Double?
}

/// What is played to the ear in a test of the microphone, and the judgement of what was recorded meanwhile.
struct MicrophoneProbe: Sendable {
  /// Of the sweeps, which are heard in a headset and do not hurt in one.
  private static let peak: Float = 0.05
  private static let sweepCount = 3
  /// From one sweep to the next, which is also the longest echo that is found, less the sweep itself.
  private static let intervalSeconds = 0.6
  private static let blocksPerSecond = 100
  /// The detector is so late, blocks.
  private static let detectorBlocks = 3
  /// So near to speech nothing is taken for noise, blocks.
  private static let marginBlocks = 15
  private static let fewestBlocks = 30
  /// What is lower than the mean of speech by that is a pause in it (ITU-T P.56), in parts of the power.
  private static let pausePower = 0.025
  /// A ceiling at which samples stand: lower ones are no ceiling, but a low voice.
  private static let leastCeiling: Float = 0.2
  private static let ceilingShare: Float = 0.99
  private static let leastRun = 3

  let sampleRate: Int
  let speechFrames: Int
  /// For the ear; it ends in silence.
  let sound: [Float]
  private let sweep: [Float]

  /// As long as all of it takes.
  var recordFrames: Int { speechFrames + sound.count }

  /// A test of so many seconds of speech, before the sweeps.
  init(speechSeconds: Double, sampleRate: Int) {
    self.sampleRate = sampleRate
    speechFrames = Int(speechSeconds * Double(sampleRate))
    sweep = Sweep(sampleRate: sampleRate, amplitude: Self.peak).frames
    let interval = Int(Self.intervalSeconds * Double(sampleRate))
    var sound = [Float](repeating: 0, count: Self.sweepCount * interval)
    for number in 0..<Self.sweepCount {
      for (index, value) in sweep.enumerated() { sound[number * interval + index] = value }
    }
    self.sound = sound
  }

  /// Judges what was recorded.
  ///
  /// - Parameter soundStart: the place at which the sound began to be played.
  func measure(_ record: [Float], soundStart: Int) -> MicrophoneMeasurement {
    var found = MicrophoneMeasurement()
    let spoken = Array(record[..<min(speechFrames, record.count)])
    let peak = spoken.reduce(0) { max($0, abs($1)) }
    found.peakDBFS = Self.decibels(Double(peak) * Double(peak))
    judgeSpeech(spoken, peak: peak, &found)
    found.echo = echo(Array(record[min(soundStart, record.count)...]))
    return found
  }

  /// The echo alone: the middle one of the sweeps that are found.
  func echo(_ record: [Float]) -> (decibels: Double, milliseconds: Double)? {
    let search = PatternSearch(for: sweep, sampleRate: sampleRate, band: Sweep.band)
    let interval = sound.count / Self.sweepCount
    let matches = (0..<Self.sweepCount).compactMap { number in
      let range = (number * interval..<(number + 1) * interval).clamped(to: record.indices)
      return search.best(in: Array(record[range]))
    }
    // One alone may be a chance.
    guard matches.count >= 2 else { return nil }
    let gains = matches.map(\.gain).sorted()
    let lags = matches.map(\.lagFrames).sorted()
    return (
      20 * log10(gains[gains.count / 2]), lags[lags.count / 2] * 1000 / Double(sampleRate)
    )
  }

  private func judgeSpeech(_ spoken: [Float], peak: Float, _ found: inout MicrophoneMeasurement) {
    let blockFrames = max(1, sampleRate / Self.blocksPerSecond)
    let (powers, isSpeech) = look(spoken, blockFrames: blockFrames)
    guard !powers.isEmpty else { return }
    let mean = Self.mean(zip(powers, isSpeech).filter(\.1).map(\.0))
    let active = powers.indices.filter {
      isSpeech[$0] && powers[$0] > mean * Self.pausePower
    }
    found.speechSeconds = Double(active.count) / Double(Self.blocksPerSecond)
    if active.count >= Self.fewestBlocks {
      found.speechLevelDBFS = Self.decibels(Self.mean(active.map { powers[$0] }))
    }
    let quiet = powers.indices.filter { block in
      let near = max(0, block - Self.marginBlocks)..<min(powers.count, block + Self.marginBlocks)
      return !isSpeech[near].contains(true)
    }
    // Without a pause: what is lowest.
    let sorted = (quiet.count >= Self.fewestBlocks ? quiet.map { powers[$0] } : powers).sorted()
    let place = quiet.count >= Self.fewestBlocks ? sorted.count / 2 : sorted.count / 20
    found.noiseLevelDBFS = Self.decibels(sorted[place])
    found.clippedPercent = 100 * Double(clipped(spoken, peak: peak)) / Double(spoken.count)
    found.hum = hum(
      Self.stretches(quiet).map { $0.lowerBound * blockFrames..<$0.upperBound * blockFrames }
        .map { Array(spoken[$0.clamped(to: spoken.indices)]) })
  }

  /// Of each block its power, and whether the detector heard speech in it.
  private func look(_ sound: [Float], blockFrames: Int) -> (powers: [Double], isSpeech: [Bool]) {
    let count = sound.count / blockFrames
    guard let detector = VoiceDetector(sampleRate: sampleRate, blockFrames: blockFrames) else {
      return ([], [])
    }
    var (powers, isSpeech) = ([Double](), [Bool](repeating: false, count: count))
    for block in 0..<count {
      let frames = sound[block * blockFrames..<(block + 1) * blockFrames]
      powers.append(Self.mean(frames.map { Double($0) * Double($0) }))
      detector.observe(frames.span)
      if detector.isSpeech { isSpeech[max(0, block - Self.detectorBlocks)] = true }
    }
    return (powers, isSpeech)
  }

  /// Samples that stand at the highest peak, of runs of some.
  private func clipped(_ sound: [Float], peak: Float) -> Int {
    guard peak >= Self.leastCeiling else { return 0 }
    var (count, run) = (0, 0)
    for sample in sound {
      if abs(sample) >= Self.ceilingShare * peak {
        run += 1
        count += run == Self.leastRun ? Self.leastRun : run > Self.leastRun ? 1 : 0
      } else {
        run = 0
      }
    }
    return count
  }

  private static func stretches(_ blocks: [Int]) -> [Range<Int>] {
    blocks.reduce(into: []) { ranges, block in
      if let last = ranges.last, last.upperBound == block {
        ranges[ranges.count - 1] = last.lowerBound..<block + 1
      } else {
        ranges.append(block..<block + 1)
      }
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  private static func decibels(_ power: Double) -> Double { 10 * log10(max(power, 1e-12)) }
}

/// Hum of the mains: lines at 50 or 60 Hz and their multiples that stand out of what is beside them.
extension MicrophoneProbe {
  private static let mainsHertz = [50.0, 60.0]
  private static let harmonics = 1...6
  /// Beside a line, outside the window's own width.
  private static let besideHertz = 15.0
  private static let windowSeconds = 0.2
  /// A line is one from so much more power than beside it.
  private static let leastRatio = 4.0
  private static let leastPower = 1e-7

  private func hum(_ quiet: [[Float]]) -> (hertz: Double, levelDBFS: Double)? {
    let length = Int(Self.windowSeconds * Double(sampleRate))
    let windows = quiet.flatMap { stretch in
      stride(from: 0, through: stretch.count - length, by: length).map {
        Array(stretch[$0..<$0 + length])
      }
    }
    guard !windows.isEmpty else { return nil }
    let levels = Self.mainsHertz.map { base in
      Self.harmonics.reduce(0.0) { sum, number in
        let hertz = base * Double(number)
        let line = median(windows, hertz)
        let beside =
          (median(windows, hertz - Self.besideHertz) + median(windows, hertz + Self.besideHertz))
          / 2
        return line > Self.leastRatio * beside ? sum + line - beside : sum
      }
    }
    guard let best = levels.indices.max(by: { levels[$0] < levels[$1] }),
      levels[best] > Self.leastPower
    else { return nil }
    return (Self.mainsHertz[best], Self.decibels(levels[best]))
  }

  /// The middle one of the powers of all windows at a frequency: hum is always there.
  private func median(_ windows: [[Float]], _ hertz: Double) -> Double {
    let powers = windows.map { power(of: $0, hertz) }.sorted()
    return powers[powers.count / 2]
  }

  /// Of a sine of amplitude a: a²/2.
  private func power(of window: [Float], _ hertz: Double) -> Double {
    let step = 2 * Double.pi * hertz / Double(sampleRate)
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in window.enumerated() {
      let shape = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(window.count))
      real += Double(sample) * shape * cos(step * Double(index))
      imaginary += Double(sample) * shape * sin(step * Double(index))
    }
    let size = Double(window.count)
    return 8 * (real * real + imaginary * imaginary) / (size * size)
  }
}
