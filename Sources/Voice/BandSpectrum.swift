internal import Glibc

/// The spectrum of what comes in, what it has in each of 32 bands, and the sound again with masks on them.
///
/// Windows of 20 ms that overlap by half, so that the sound comes out a block of 10 ms late.
struct BandSpectrum {
  static let (blockFrames, comingFrames, leftFrames) = (480, 960, 720)
  /// Hz, at 48 kHz: narrow where harmonics of a voice lie side by side; between them they overlap by half.
  static let hertz: [Float] = [
    0, 80, 160, 240, 320, 400, 480, 560, 650, 750, 860, 980, 1120, 1280, 1460, 1660, 1890, 2150,
    2440, 2770, 3150, 3580, 4070, 4620, 5250, 6000, 6900, 8000, 9600, 12000, 15600, 20000,
  ]
  static let bandCount = 32
  private static let count = 1024

  /// The energies of the bands of what comes, and of what is left of the last block.
  private(set) var coming = [Float](repeating: 0, count: Self.bandCount)
  private(set) var left = [Float](repeating: 0, count: Self.bandCount)
  private let transform = Transform(count: Self.count)
  private let sine: [Float]
  private let hann: [Float]
  /// Of each bin the band that falls there, and how much of the bin is the next one's.
  private let places: [(band: Int, next: Float)]
  private var real = [Float](repeating: 0, count: Self.count)
  private var imaginary = [Float](repeating: 0, count: Self.count)
  /// Of what comes, half of all bins and one.
  private var comingReal = [Float](repeating: 0, count: Self.count / 2 + 1)
  private var comingImaginary = [Float](repeating: 0, count: Self.count / 2 + 1)
  /// The second half of the last window.
  private var tail = [Float](repeating: 0, count: Self.blockFrames)

  init() {
    sine = (0..<Self.comingFrames).map {
      Float(sin(.pi * (Double($0) + 0.5) / Double(Self.comingFrames)))
    }
    hann = (0..<Self.leftFrames).map {
      Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(Self.leftFrames)))
    }
    places = (0...Self.count / 2).map { Self.place(hertz: Float($0) * 48_000 / Float(Self.count)) }
  }

  /// Which band falls at a frequency, and how much of it is the next one's.
  static func place(hertz wanted: Float) -> (band: Int, next: Float) {
    guard let band = hertz.lastIndex(where: { $0 <= wanted }), band + 1 < bandCount else {
      return (bandCount - 2, 1)
    }
    return (band, (wanted - hertz[band]) / (hertz[band + 1] - hertz[band]))
  }

  /// Takes the last 20 ms of what comes, and the last 15 ms of what is left of it.
  mutating func take(_ sound: [Float], left rest: [Float]) {
    for index in 0..<Self.count {
      real[index] = index < Self.comingFrames ? sound[index] * sine[index] : 0
      imaginary[index] = index < Self.leftFrames ? rest[index] * hann[index] : 0
    }
    transform.run(&real, &imaginary)
    for band in 0..<Self.bandCount { (coming[band], left[band]) = (0, 0) }
    for (bin, place) in places.enumerated() {
      // Of one transform of both: what is even of it is the first's, what is odd the second's.
      let mirror = bin == 0 ? 0 : Self.count - bin
      let (evenReal, oddReal) = (
        (real[bin] + real[mirror]) / 2, (real[bin] - real[mirror]) / 2
      )
      let (even, odd) = (
        (imaginary[bin] + imaginary[mirror]) / 2, (imaginary[bin] - imaginary[mirror]) / 2
      )
      (comingReal[bin], comingImaginary[bin]) = (evenReal, odd)
      let one = evenReal * evenReal + odd * odd
      let other = oddReal * oddReal + even * even
      coming[place.band] += (1 - place.next) * one
      left[place.band] += (1 - place.next) * other
      coming[place.band + 1] += place.next * one
      left[place.band + 1] += place.next * other
    }
  }

  /// Makes the block before the last of what came, its bands as loud as the masks say, 0…1.
  mutating func make(_ block: inout MutableSpan<Float>, masks: [Float]) {
    for (bin, place) in places.enumerated() {
      let mask = masks[place.band] + place.next * (masks[place.band + 1] - masks[place.band])
      let (re, im) = (mask * comingReal[bin], mask * comingImaginary[bin])
      (real[bin], imaginary[bin]) = (re, im)
      guard bin > 0 else { continue }
      (real[Self.count - bin], imaginary[Self.count - bin]) = (re, bin == Self.count / 2 ? im : -im)
    }
    // Back: the same transform, its parts exchanged.
    transform.run(&imaginary, &real)
    let scale = 1 / Float(Self.count)
    for index in 0..<Self.blockFrames {
      block[index] = tail[index] + real[index] * sine[index] * scale
      let later = Self.blockFrames + index
      tail[index] = real[later] * sine[later] * scale
    }
  }
}
