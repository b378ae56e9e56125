internal import Glibc

/// A Fourier transform of a power of two, in place: radix 2 after a first step of 4, decimation in time.
struct Transform {
  /// At least 4.
  let count: Int
  private let cosines: [Float]
  private let sines: [Float]
  private let reversed: [Int]

  init(count: Int) {
    self.count = count
    // From place `half` on those of transforms of twice as many as that.
    let angles = (0..<count).map { place in
      let half = place == 0 ? 1 : 1 << (Int.bitWidth - 1 - place.leadingZeroBitCount)
      return -Double.pi * Double(place - half) / Double(half)
    }
    cosines = angles.map { Float(cos($0)) }
    sines = angles.map { Float(sin($0)) }
    let bits = count.trailingZeroBitCount
    reversed = (0..<count).map { index in
      (0..<bits).reduce(0) { $0 << 1 | (index >> $1) & 1 }
    }
  }

  /// Transforms what the two parts hold.
  func run(_ real: inout [Float], _ imaginary: inout [Float]) {
    precondition(real.count == count && imaginary.count == count)
    for index in 0..<count where reversed[index] > index {
      real.swapAt(index, reversed[index])
      imaginary.swapAt(index, reversed[index])
    }
    unsafe real.withUnsafeMutableBufferPointer { real in
      unsafe imaginary.withUnsafeMutableBufferPointer { imaginary in
        for start in Swift.stride(from: 0, to: count, by: 4) {
          unsafe joinFour(real, imaginary, at: start)
        }
        var half = 4
        while half < count {
          for start in Swift.stride(from: 0, to: count, by: 2 * half) {
            unsafe join(real, imaginary, at: start, half: half)
          }
          half *= 2
        }
      }
    }
  }

  /// Makes one of four neighbours, whose factors are 1 and -i.
  private func joinFour(
    _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>,
    at start: Int
  ) {
    let (re0, re1) = unsafe (real[start] + real[start + 1], real[start] - real[start + 1])
    let (re2, re3) = unsafe (real[start + 2] + real[start + 3], real[start + 2] - real[start + 3])
    let (im0, im1) = unsafe (
      imaginary[start] + imaginary[start + 1], imaginary[start] - imaginary[start + 1]
    )
    let (im2, im3) = unsafe (
      imaginary[start + 2] + imaginary[start + 3], imaginary[start + 2] - imaginary[start + 3]
    )
    unsafe (real[start], imaginary[start]) = (re0 + re2, im0 + im2)
    unsafe (real[start + 1], imaginary[start + 1]) = (re1 + im3, im1 - re3)
    unsafe (real[start + 2], imaginary[start + 2]) = (re0 - re2, im0 - im2)
    unsafe (real[start + 3], imaginary[start + 3]) = (re1 - im3, im1 + re3)
  }

  /// Makes one of two neighbouring transforms of half as many.
  private func join(
    _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>,
    at start: Int, half: Int
  ) {
    // The factors of each size lie side by side, so that as many are taken at once as the processor takes.
    unsafe cosines.withUnsafeBufferPointer { cosines in
      unsafe sines.withUnsafeBufferPointer { sines in
        for offset in 0..<half {
          let (c, s) = unsafe (cosines[half + offset], sines[half + offset])
          let (upper, lower) = (start + offset, start + offset + half)
          let re = unsafe real[lower] * c - imaginary[lower] * s
          let im = unsafe real[lower] * s + imaginary[lower] * c
          unsafe (real[lower], imaginary[lower]) = (real[upper] - re, imaginary[upper] - im)
          unsafe (real[upper], imaginary[upper]) = (real[upper] + re, imaginary[upper] + im)
        }
      }
    }
  }
}

/// What the detector of speech looks at: 26 numbers each 10 ms at 16 kHz.
///
/// 24 bands of 30 ms (logarithms of power, less their mean of the last three seconds), that mean, and how periodic the
/// sound is at 80…400 Hz. `Tests/Quality/detector/features.py` has the same for training; the constants are its.
struct SpeechFeatures {
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
  private let transform = Transform(count: Self.transformCount)
  private let window: [Float]
  private let windowPower: Float
  /// Of each band its first bin, and the weights from there on.
  private let bands: [(first: Int, weights: [Float])]
  private let lagGains: [Float]
  private var past = [Float](repeating: 0, count: Self.windowFrames)
  private var real = [Float](repeating: 0, count: Self.transformCount)
  private var imaginary = [Float](repeating: 0, count: Self.transformCount)
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
    for index in 0..<Self.transformCount {
      real[index] = index < Self.windowFrames ? past[index] * window[index] : 0
      imaginary[index] = 0
    }
    transform.run(&real, &imaginary)
    for bin in 0...Self.transformCount / 2 {
      power[bin] = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) / windowPower
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
    for index in 0..<Self.transformCount { (real[index], imaginary[index]) = (0, 0) }
    for bin in Self.voicedBins {
      real[bin] = power[bin]
      real[Self.transformCount - bin] = power[bin]
    }
    transform.run(&real, &imaginary)
    let scale = 1 / Float(Self.transformCount)
    var best = -Float.infinity
    for (index, lag) in Self.lags.enumerated() {
      best = max(best, real[lag] * scale * lagGains[index])
    }
    return best / (real[0] * scale + Self.floor)
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
