internal import Glibc

/// The spectrum of what comes in, what it has in each of 32 bands, and the sound again with masks on them.
///
/// Windows of 20 ms that overlap by half, so that the sound comes out a block of 10 ms late. It owns its scratch
/// memory, and so cannot be copied.
struct BandSpectrum: ~Copyable {
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
  private let transform = RealTransform(count: Self.count)
  private let sine: [Float]
  private let hann: [Float]
  /// Of each bin the band that falls there, and how much of the bin is the next one's.
  private let places: [(band: Int, next: Float)]
  private let signal = FloatRoom(count: Self.count)
  /// Of what comes, and of what is left of it or made of it.
  private let (whole, rest): (SpectrumRoom, SpectrumRoom)
  /// The second half of the last window.
  private var tail = [Float](repeating: 0, count: Self.blockFrames)

  init() {
    let bins = transform.binCount
    (whole, rest) = (SpectrumRoom(bins: bins), SpectrumRoom(bins: bins))
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
  mutating func take(_ sound: [Float], left quiet: [Float]) {
    look(at: sound, by: sine, into: whole)
    look(at: quiet, by: hann, into: rest)
    Self.sum(whole, places, into: &coming)
    Self.sum(rest, places, into: &left)
  }

  private func look(at sound: [Float], by window: [Float], into room: SpectrumRoom) {
    signal.fill(0)
    for index in window.indices { signal[index] = sound[index] * window[index] }
    transform.forward(signal, into: room)
  }

  private static func sum(
    _ room: SpectrumRoom, _ places: [(band: Int, next: Float)], into energies: inout [Float]
  ) {
    for band in energies.indices { energies[band] = 0 }
    for (bin, place) in places.enumerated() {
      let (re, im) = (room.real[bin], room.imaginary[bin])
      let energy = re * re + im * im
      energies[place.band] += (1 - place.next) * energy
      energies[place.band + 1] += place.next * energy
    }
  }

  /// Makes the block before the last of what came, its bands as loud as the masks say, 0…1.
  mutating func make(_ block: inout MutableSpan<Float>, masks: [Float]) {
    for (bin, place) in places.enumerated() {
      let mask = masks[place.band] + place.next * (masks[place.band + 1] - masks[place.band])
      rest.real[bin] = mask * whole.real[bin]
      rest.imaginary[bin] = mask * whole.imaginary[bin]
    }
    transform.inverse(rest, into: signal)
    for index in 0..<Self.blockFrames {
      block[index] = tail[index] + signal[index] * sine[index]
      let later = Self.blockFrames + index
      tail[index] = signal[later] * sine[later]
    }
  }
}
