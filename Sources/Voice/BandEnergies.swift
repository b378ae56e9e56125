internal import Glibc

/// The energies of RNNoise's bands in two sounds at once.
struct BandEnergies {
  /// Hz, at 48 kHz: between them they overlap by half.
  static let hertz: [Float] = [
    0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 2000, 2400, 2800, 3200, 4000, 4800, 5600, 6800,
    8000, 9600, 12000, 15600, 20000,
  ]
  static let bandCount = 22

  private(set) var first = [Float](repeating: 0, count: Self.bandCount)
  private(set) var second = [Float](repeating: 0, count: Self.bandCount)
  private let transform: Transform
  private let window: [Float]
  /// Of each bin the band that falls there, and how much of the bin is the next one's.
  private let places: [(band: Int, next: Float)]
  private var (real, imaginary): ([Float], [Float])

  init(windowFrames: Int, count: Int) {
    transform = Transform(count: count)
    window = (0..<windowFrames).map {
      Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(windowFrames)))
    }
    places = (0...count / 2).map { Self.place(hertz: Float($0) * 48_000 / Float(count)) }
    (real, imaginary) = (
      [Float](repeating: 0, count: count), [Float](repeating: 0, count: count)
    )
  }

  /// Which band falls at a frequency, and how much of it is the next one's.
  static func place(hertz wanted: Float) -> (band: Int, next: Float) {
    guard let band = hertz.lastIndex(where: { $0 <= wanted }), band + 1 < bandCount else {
      return (bandCount - 1, 0)
    }
    return (band, (wanted - hertz[band]) / (hertz[band + 1] - hertz[band]))
  }

  /// Takes two sounds, each as long as the window.
  mutating func take(_ one: [Float], _ other: [Float]) {
    for index in real.indices {
      let weight = index < window.count ? window[index] : 0
      real[index] = index < window.count ? one[index] * weight : 0
      imaginary[index] = index < window.count ? other[index] * weight : 0
    }
    transform.run(&real, &imaginary)
    for band in 0..<Self.bandCount { (first[band], second[band]) = (0, 0) }
    for (bin, place) in places.enumerated() {
      // Of one transform of both: what is even of it is the first's, what is odd the second's.
      let mirror = bin == 0 ? 0 : real.count - bin
      let (evenReal, oddReal) = (real[bin] + real[mirror], real[bin] - real[mirror])
      let (even, odd) = (
        imaginary[bin] + imaginary[mirror], imaginary[bin] - imaginary[mirror]
      )
      let one = (evenReal * evenReal + odd * odd) / 4
      let other = (oddReal * oddReal + even * even) / 4
      first[place.band] += (1 - place.next) * one
      second[place.band] += (1 - place.next) * other
      guard place.next > 0 else { continue }
      first[place.band + 1] += place.next * one
      second[place.band + 1] += place.next * other
    }
  }
}

/// Makes filters of least delay with such gains in RNNoise's bands, by their cepstra.
struct BandFilterShape {
  private static let count = 512
  /// For each band what a neper of it adds to the cepstrum.
  private let cepstra: [[Float]]
  private let taps: Int

  init(taps: Int) {
    self.taps = taps
    var cepstra = [[Float]](
      repeating: [Float](repeating: 0, count: taps), count: BandEnergies.bandCount)
    for bin in 0..<Self.count {
      let place = BandEnergies.place(
        hertz: Float(min(bin, Self.count - bin)) * 48_000 / Float(Self.count))
      for tap in 0..<taps {
        let wave =
          Float(cos(2 * .pi * Double(bin * tap % Self.count) / Double(Self.count)))
          / Float(Self.count)
        cepstra[place.band][tap] += (1 - place.next) * wave
        if place.next > 0 { cepstra[place.band + 1][tap] += place.next * wave }
      }
    }
    self.cepstra = cepstra
  }

  /// Makes one of as many taps.
  func make(_ filter: inout [Float], decibels: [Float]) {
    var cepstrum = InlineArray<64, Float>(repeating: 0)
    let neper: Float = 0.115_129_25
    for (band, gain) in decibels.enumerated() {
      for tap in 0..<taps { cepstrum[tap] += gain * neper * cepstra[band][tap] }
    }
    filter[0] = expf(cepstrum[0])
    for tap in 1..<taps {
      var sum: Float = 0
      for past in 1...tap { sum += Float(past) * 2 * cepstrum[past] * filter[tap - past] }
      filter[tap] = sum / Float(tap)
    }
    let end = taps / 4
    for index in 0..<end {
      filter[taps - end + index] *= 1 - Float(index) / Float(end - 1)
    }
  }
}
