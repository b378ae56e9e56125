internal import Glibc

/// Half of what a small network thinks RNNoise took too much or too little, band by band; no delay.
///
/// It looks at the bands of what comes in, a block before it comes out, and of what RNNoise left of the last blocks.
/// Its weights (``CorrectionWeights``) and how they were trained: `Tests/Quality/correction`; features.py is its twin.
struct BandCorrection {
  static let blockFrames = 480
  private enum Shape {
    static let (window, transform, taps) = (720, 1024, 64)
    /// How much of what it thinks is done; the least and the most of it, dB.
    static let (part, least, most): (Float, Float, Float) = (0.5, -12, 3)
    static let floor: Float = 1e-7
    /// The loudest that was heard falls by so much a block, dB; what noise is, is learned within 0.2 s of pauses.
    static let (fall, learning): (Float, Float) = (0.02, 0.05)
  }

  private var bands = BandEnergies(windowFrames: Shape.window, count: Shape.transform)
  private var network = CorrectionNetwork.trained
  private let shaper = BandFilterShape(taps: Shape.taps)
  /// The last windows of what came in, and of what is left.
  private var coming = [Float](repeating: 0, count: Shape.window)
  private var left = [Float](repeating: 0, count: Shape.window)
  private var ahead = [Float](repeating: -70, count: BandEnergies.bandCount)
  private var now = [Float](repeating: -70, count: BandEnergies.bandCount)
  private var noise = [Float](repeating: -70, count: BandEnergies.bandCount)
  private var gains = [Float](repeating: 0, count: BandEnergies.bandCount)
  private var loudest: Float = -30
  private var features = [Float](repeating: 0, count: CorrectionNetwork.inputs)
  /// This block's filter and the last one's; what is filtered, with what came before it.
  private var (filter, formerFilter): ([Float], [Float])
  private var sound = [Float](repeating: 0, count: Shape.taps + BandCorrection.blockFrames)
  private var (fresh, former) = (
    [Float](repeating: 0, count: BandCorrection.blockFrames),
    [Float](repeating: 0, count: BandCorrection.blockFrames)
  )

  init() {
    filter = [Float](repeating: 0, count: Shape.taps)
    formerFilter = [Float](repeating: 0, count: Shape.taps)
    (filter[0], formerFilter[0]) = (1, 1)
  }

  /// Takes what RNNoise will look at next: 10 ms at 48 kHz.
  ///
  /// No louder than full scale, as RNNoise gets it.
  mutating func hear(_ block: Span<Float>) {
    Self.push(block, to: &coming)
    for index in (coming.count - block.count)..<coming.count {
      coming[index] = min(1, max(-1, coming[index]))
    }
  }

  /// Corrects what RNNoise made of the block before that.
  ///
  /// - Parameter voice: how probable it is that there is a voice in it, 0…1.
  mutating func correct(_ block: inout MutableSpan<Float>, voice: Float) {
    Self.push(block.span, to: &left)
    bands.take(coming, left)
    look(voice: voice >= 0 ? min(voice, 1) : 0)
    network.run(features, into: &gains)
    for band in gains.indices {
      gains[band] = min(Shape.most, max(Shape.least, Shape.part * 10 * gains[band]))
    }
    swap(&filter, &formerFilter)
    shaper.make(&filter, decibels: gains)
    apply(to: &block)
  }

  private mutating func look(voice: Float) {
    let count = BandEnergies.bandCount
    // One block on: taken three times, near twice, and the probability of a voice three times.
    for band in stride(from: count - 1, through: 0, by: -1) {
      features[2 * count + band] = features[count + band]
      features[count + band] = features[band]
      features[5 * count + band] = features[4 * count + band]
    }
    let heard = 7 * count
    (features[heard + 2], features[heard + 1]) = (features[heard + 1], features[heard])
    features[heard] = voice
    swap(&now, &ahead)
    var total: Float = 0
    for band in 0..<count {
      ahead[band] = 10 * log10f(bands.first[band] + Shape.floor)
      total += powf(10, now[band] / 10)
      noise[band] += Shape.learning * (1 - voice) * (now[band] - noise[band])
    }
    loudest = max(10 * log10f(total), loudest - Shape.fall)
    for band in 0..<count {
      let left = 10 * log10f(bands.second[band] + Shape.floor)
      features[band] = min(0, max(-40, left - now[band])) / 20
      features[3 * count + band] = relative(ahead[band])
      features[4 * count + band] = relative(now[band])
      features[6 * count + band] = relative(noise[band])
    }
  }

  private func relative(_ decibels: Float) -> Float {
    min(2, max(-3, (decibels - loudest + 30) / 20))
  }

  /// Filters the block, from the last block's filter over to this one's.
  private mutating func apply(to block: inout MutableSpan<Float>) {
    let (taps, count) = (Shape.taps, Self.blockFrames)
    for index in 0..<taps { sound[index] = sound[count + index] }
    for index in 0..<count { sound[taps + index] = block[index] }
    Self.convolve(sound, filter, into: &fresh)
    Self.convolve(sound, formerFilter, into: &former)
    let step = 1 / Float(count)
    for index in 0..<count {
      let share = Float(index + 1) * step
      block[index] = former[index] + share * (fresh[index] - former[index])
    }
  }

  private static func convolve(_ sound: [Float], _ filter: [Float], into result: inout [Float]) {
    unsafe sound.withUnsafeBufferPointer { sound in
      unsafe result.withUnsafeMutableBufferPointer { result in
        for index in result.indices { unsafe result[index] = 0 }
        for (tap, weight) in filter.enumerated() {
          let start = filter.count - tap
          // All frames of a tap at once, as many as the processor takes.
          for index in result.indices {
            unsafe result[index] += weight * sound[start + index]
          }
        }
      }
    }
  }

  private static func push(_ block: Span<Float>, to window: inout [Float]) {
    let kept = window.count - blockFrames
    for index in 0..<kept { window[index] = window[index + blockFrames] }
    for index in 0..<blockFrames { window[kept + index] = block[index] }
  }
}

/// Two layers and an output for each band.
struct CorrectionNetwork {
  static let inputs = 7 * BandEnergies.bandCount + 3
  private static let (hidden, outputs) = (48, BandEnergies.bandCount)

  private let (one, oneBias): ([Float], [Float])
  private let (two, twoBias): ([Float], [Float])
  private let (last, lastBias): ([Float], [Float])
  private var (inner, outer): ([Float], [Float]) = ([], [])

  private static let shared = CorrectionNetwork()

  /// One with the trained weights, which all share; what it writes to is its own.
  static var trained: CorrectionNetwork {
    var network = shared
    network.inner = Array(repeating: 0, count: Self.hidden)
    network.outer = Array(repeating: 0, count: Self.hidden)
    return network
  }

  private init() {
    var rest = CorrectionWeights.values()[...]
    func next(_ count: Int) -> [Float] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    (one, oneBias) = (next(Self.hidden * Self.inputs), next(Self.hidden))
    (two, twoBias) = (next(Self.hidden * Self.hidden), next(Self.hidden))
    (last, lastBias) = (next(Self.outputs * Self.hidden), next(Self.outputs))
    precondition(lastBias.count == Self.outputs && rest.isEmpty, "other weights than it has")
  }

  /// What a row of features says of each band, 10 dB.
  mutating func run(_ features: [Float], into gains: inout [Float]) {
    SpeechNetwork.multiply(one, features, oneBias, into: &inner)
    for index in inner.indices { inner[index] = tanhf(inner[index]) }
    SpeechNetwork.multiply(two, inner, twoBias, into: &outer)
    for index in outer.indices { outer[index] = tanhf(outer[index]) }
    SpeechNetwork.multiply(last, outer, lastBias, into: &gains)
  }
}
