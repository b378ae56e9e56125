internal import Glibc

/// What the detector of speech looks at: 26 numbers each 10 ms at 16 kHz.
///
/// 24 bands of 30 ms (logarithms of power, less their mean of the last three seconds), that mean, and how periodic the
/// sound is at 80…400 Hz. `Tests/Quality/detector/features.py` has the same for training; the constants are its.
/// It owns its scratch memory, and so cannot be copied.
struct SpeechFeatures: ~Copyable {
  static let sampleRate = 16_000
  static let hopFrames = 160
  static let count = bandCount + 2
  private static let bandCount = 24
  private static let windowFrames = 480
  private static let transformCount = 512
  private static let hertz = (lowest: 80.0, highest: 7000.0)
  private static let lags = 40...200
  private static let voicedBins = 2...128
  private static let meanHops = 300
  private static let floor: Float = 1e-10
  /// What is no sound at all must not deafen it for long.
  private static let loudestMean: Float = -1

  /// Of the last hop.
  private(set) var values = [Float](repeating: 0, count: Self.count)
  private let transform = RealTransform(count: Self.transformCount)
  private let window: [Float]
  private let windowPower: Float
  /// Of each band its first bin, and the weights from there on.
  private let bands: [(first: Int, weights: [Float])]
  private let lagGains: [Float]
  private var past = [Float](repeating: 0, count: Self.windowFrames)
  private let signal = FloatRoom(count: Self.transformCount)
  private let spectrum: SpectrumRoom
  private var power = [Float](repeating: 0, count: Self.transformCount / 2 + 1)
  private var mean: Float = 0
  private var hops = 0

  init() {
    let window = (0..<Self.windowFrames).map {
      Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(Self.windowFrames)))
    }
    self.window = window
    let total = window.reduce(0) { $0 + $1 * $1 }
    windowPower = total
    bands = Self.triangles()
    spectrum = SpectrumRoom(bins: transform.binCount)
    lagGains = Self.lags.map { lag in
      let circular = (0..<Self.transformCount).reduce(Float(0)) { sum, index in
        let other = (index + lag) % Self.transformCount
        guard index < window.count, other < window.count else { return sum }
        return sum + window[index] * window[other]
      }
      return total / circular
    }
  }

  /// Takes the next 160 frames.
  mutating func take(_ hop: Span<Float>) {
    let kept = Self.windowFrames - Self.hopFrames
    for index in 0..<kept { past[index] = past[index + Self.hopFrames] }
    for index in 0..<Self.hopFrames { past[kept + index] = hop[index] }
    signal.fill(0)
    for index in 0..<Self.windowFrames { signal[index] = past[index] * window[index] }
    transform.forward(signal, into: spectrum)
    for bin in 0...Self.transformCount / 2 {
      let (re, im) = (spectrum.real[bin], spectrum.imaginary[bin])
      power[bin] = (re * re + im * im) / windowPower
    }
    lookAtBands()
    values[Self.count - 1] = periodicity()
  }

  private mutating func lookAtBands() {
    var sum: Float = 0
    for band in 0..<Self.bandCount {
      var energy: Float = 0
      let first = bands[band].first
      for (offset, weight) in bands[band].weights.enumerated() {
        energy += weight * power[first + offset]
      }
      values[band] = log10f(energy + Self.floor)
      sum += values[band]
    }
    hops = min(hops + 1, Self.meanHops)
    mean += (min(sum / Float(Self.bandCount), Self.loudestMean) - mean) / Float(hops)
    for band in 0..<Self.bandCount { values[band] -= mean }
    values[Self.bandCount] = (mean + 4) / 2
  }

  /// The greatest autocorrelation at the pitches of voices, by way of the power spectrum.
  private mutating func periodicity() -> Float {
    spectrum.clear()
    for bin in Self.voicedBins { spectrum.real[bin] = power[bin] }
    transform.inverse(spectrum, into: signal)
    var best = -Float.infinity
    for (index, lag) in Self.lags.enumerated() {
      best = max(best, signal[lag] * lagGains[index])
    }
    return best / (signal[0] + Self.floor)
  }

  private static func triangles() -> [(first: Int, weights: [Float])] {
    func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }
    let (low, high) = (mel(hertz.lowest), mel(hertz.highest))
    let edges = (0..<bandCount + 2).map { index in
      let mels = low + (high - low) * Double(index) / Double(bandCount + 1)
      return 700 * (pow(10, mels / 2595) - 1) * Double(transformCount) / Double(sampleRate)
    }
    return (0..<bandCount).map { band in
      let bins = Int(edges[band].rounded(.down))...Int(edges[band + 2].rounded(.up))
      let weights = bins.map { bin in
        let rising = (Double(bin) - edges[band]) / (edges[band + 1] - edges[band])
        let falling = (edges[band + 2] - Double(bin)) / (edges[band + 2] - edges[band + 1])
        return max(0, min(rising, falling))
      }
      let sum = weights.reduce(0, +)
      return (bins.lowerBound, weights.map { Float($0 / sum) })
    }
  }
}
