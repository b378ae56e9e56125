internal import Glibc

/// How much of speech can be understood, by STOI: the short-time objective intelligibility measure.
///
/// C. H. Taal, R. C. Hendriks, R. Heusdens, J. Jensen: "An Algorithm for Intelligibility Prediction of Time-Frequency
/// Weighted Noisy Speech", IEEE Transactions on Audio, Speech, and Language Processing 19 (2011). What was said and
/// what was heard are compared in 15 one-third octave bands from 150 Hz on, in stretches of 384 ms: the mean
/// correlation of their envelopes. Frames in which nothing was said, 40 dB below the loudest, do not count.
/// It agrees with pystoi 0.4.1.
public enum Intelligibility {
  private static let sampleRate = 10_000
  /// Frames of a window, and by how many the next one is later.
  private static let (windowFrames, hopFrames) = (256, 128)
  private static let transformSize = 512
  private static let bandCount = 15
  private static let lowestBandHertz = 150.0
  /// Windows of a stretch.
  private static let stretchWindows = 30
  private static let dynamicRangeDecibels = 40.0
  /// A band's envelope may exceed what was said by 15 dB at most (β = -15 dB).
  private static let mostExcess = 1 + pow(10, 15.0 / 20)
  /// Matlab's window, without the zeros at its ends.
  private static let window = (1...windowFrames).map {
    0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(windowFrames + 1))
  }

  /// The measure, 0…1, of what was heard of what was said, aligned and of the same length; nil: too little was said.
  public static func stoi(said: [Float], heard: [Float], sampleRate: Int) -> Double? {
    precondition(said.count == heard.count, "aligned sounds of one length")
    let resampler = OctaveResampler(from: sampleRate, to: Self.sampleRate)
    var said = windows(of: resampler.resample(said.map(Double.init)))
    var heard = windows(of: resampler.resample(heard.map(Double.init)))
    let isSpeech = speechMask(said)
    said = windows(of: joined(zip(said, isSpeech).filter(\.1).map(\.0)))
    heard = windows(of: joined(zip(heard, isSpeech).filter(\.1).map(\.0)))
    guard said.count >= stretchWindows else { return nil }
    let (saidBands, heardBands) = (said.map(envelopes), heard.map(envelopes))
    var sum = 0.0
    let stretches = said.count - stretchWindows + 1
    for start in 0..<stretches {
      for band in 0..<bandCount {
        let places = start..<start + stretchWindows
        sum += correlation(places.map { saidBands[$0][band] }, places.map { heardBands[$0][band] })
      }
    }
    return sum / Double(stretches * bandCount)
  }

  private static func windows(of signal: [Double]) -> [[Double]] {
    stride(from: 0, to: signal.count - windowFrames, by: hopFrames).map { start in
      (0..<windowFrames).map { signal[start + $0] * window[$0] }
    }
  }

  private static func speechMask(_ windows: [[Double]]) -> [Bool] {
    let levels = windows.map { 20 * log10(norm($0) + Double.ulpOfOne) }
    let least = (levels.max() ?? 0) - dynamicRangeDecibels
    return levels.map { $0 > least }
  }

  /// The signal that overlapping windows add up to.
  private static func joined(_ windows: [[Double]]) -> [Double] {
    guard !windows.isEmpty else { return [] }
    var signal = [Double](repeating: 0, count: (windows.count - 1) * hopFrames + windowFrames)
    for (number, window) in windows.enumerated() {
      for index in window.indices { signal[number * hopFrames + index] += window[index] }
    }
    return signal
  }

  /// The magnitude in each band of a window.
  private static func envelopes(_ window: [Double]) -> [Double] {
    var real = window.map(Float.init)
    real += [Float](repeating: 0, count: transformSize - windowFrames)
    var imaginary = [Float](repeating: 0, count: transformSize)
    transform.forward(&real, &imaginary)
    return bands.map { bins in
      bins.reduce(0.0) { sum, bin in
        let (r, i) = (Double(real[bin]), Double(imaginary[bin]))
        return sum + r * r + i * i
      }.squareRoot()
    }
  }

  private static let transform = FourierTransform(holding: transformSize)

  /// The bins of each band, from the nearest to its lower edge up to the nearest to its upper.
  private static let bands: [Range<Int>] = (0..<bandCount).map { band in
    let low = lowestBandHertz * pow(2, Double(2 * band - 1) / 6)
    let high = lowestBandHertz * pow(2, Double(2 * band + 1) / 6)
    return nearestBin(low)..<nearestBin(high)
  }

  private static func nearestBin(_ hertz: Double) -> Int {
    Int((hertz * Double(transformSize) / Double(sampleRate)).rounded())
  }

  /// Of a band's envelopes in one stretch, when what was heard is as loud as what was said and clipped.
  private static func correlation(_ said: [Double], _ heard: [Double]) -> Double {
    let loudness = norm(said) / (norm(heard) + Double.ulpOfOne)
    let clipped = zip(said, heard).map { min($1 * loudness, $0 * mostExcess) }
    let (a, b) = (centred(said), centred(clipped))
    let product = zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
    return product / ((norm(a) + Double.ulpOfOne) * (norm(b) + Double.ulpOfOne))
  }

  private static func centred(_ values: [Double]) -> [Double] {
    let mean = values.reduce(0, +) / Double(values.count)
    return values.map { $0 - mean }
  }

  private static func norm(_ values: [Double]) -> Double {
    values.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
