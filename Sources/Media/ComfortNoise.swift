/// Comfort noise like a talker's room, learnt in pauses and played in long gaps.
///
/// The model is that of comfort noise payloads (RFC 3389 §3): a level and an all-pole filter excited
/// by white noise; only that the listener works it out by itself, from what it decoded. Learning:
/// blocks of 10 ms whose power is within 3 dB of the least of the last two seconds are pauses (minimum
/// statistics, R. Martin, IEEE Trans. Speech Audio Process. 9(5), 2001); their autocorrelations are
/// averaged with a time constant of 160 ms of pause. The filter comes of the average by the
/// Levinson-Durbin recursion when it is needed.
///
/// A talker without pauses has its softest moments taken for one; so the noise is never louder than
/// -40 dBov. Nothing is learnt of silence, and then the noise is silence.
struct ComfortNoise {
  /// 10 ms.
  static let blockFrames = 480
  /// Mean square of -40 dBov.
  static let greatestMeanSquare: Float = 1e-4
  /// Mean square of -85 dBov: noise below this is inaudible.
  static let leastMeanSquare: Float = 3.162_278e-9
  /// Enough for the tilt and the hum of a room at 48 kHz.
  static let order = 12

  private typealias Coefficients = InlineArray<13, Float>

  /// A pause is at most twice as strong as the softest moment.
  private static let pauseFactor: Float = 2
  private static let learningRate: Float = 1 / 16
  /// Pole widths of at least 465 Hz: what rings is a tone and not a room.
  private static let lagDecay: Float = 0.97
  /// Eight spans of 250 ms.
  private static let spanBlocks = 25
  private static let highest: Float = .greatestFiniteMagnitude

  private var leastOfSpans = InlineArray<8, Float>(repeating: highest)
  private var spanIndex = 0
  private var blocksInSpan = 0
  private var smoothedPower: Float = 0
  /// Of the pauses, by lag; at lag 0 the mean square.
  private var autocorrelation = Coefficients(repeating: 0)
  private var hasLearnt = false

  private var filter = Coefficients(repeating: 0)
  private var memory = Coefficients(repeating: 0)
  private var excitation: Float = 0
  private var randomBits: UInt32 = 0x9e37_79b9

  /// Mean square of the noise that `next` makes; 0 when it makes none.
  var meanSquare: Float {
    guard hasLearnt, autocorrelation[0] >= Self.leastMeanSquare else { return 0 }
    return min(autocorrelation[0], Self.greatestMeanSquare)
  }

  /// Learns from decoded audio; never pass concealment.
  mutating func learn(from pcm: Span<Float>) {
    var start = 0
    while start + Self.blockFrames <= pcm.count {
      learn(fromBlock: pcm.extracting(start..<start + Self.blockFrames))
      start += Self.blockFrames
    }
    // Codec frames shorter than a block are blocks of their own.
    if start == 0 && pcm.count > Self.order { learn(fromBlock: pcm) }
  }

  /// Forgets the talker.
  mutating func forget() {
    leastOfSpans = InlineArray(repeating: Self.highest)
    (spanIndex, blocksInSpan, smoothedPower) = (0, 0, 0)
    autocorrelation = Coefficients(repeating: 0)
    hasLearnt = false
  }

  /// Builds the filter from the learnt noise; the noise begins from rest.
  mutating func prepare() {
    memory = Coefficients(repeating: 0)
    excitation = 0
    guard meanSquare > 0 else { return }
    let residual = solve()
    // White noise, uniform in -1 ..< 1, has a mean square of 1/3.
    excitation = (3 * meanSquare * residual).squareRoot()
  }

  /// The next sample of noise.
  mutating func next() -> Float {
    randomBits ^= randomBits << 13
    randomBits ^= randomBits >> 17
    randomBits ^= randomBits << 5
    var value = excitation * Float(Int32(bitPattern: randomBits)) * 0x1p-31
    for lag in 1...Self.order { value -= filter[lag] * memory[lag - 1] }
    for lag in stride(from: Self.order - 1, to: 0, by: -1) { memory[lag] = memory[lag - 1] }
    memory[0] = value
    return value
  }

  private mutating func learn(fromBlock block: Span<Float>) {
    let power = Loudness.meanSquare(block)
    guard power.isFinite else { return }
    smoothedPower = smoothedPower == 0 ? power : smoothedPower + (power - smoothedPower) / 4
    note(smoothedPower, frames: block.count)
    var least = Self.highest
    for index in leastOfSpans.indices { least = min(least, leastOfSpans[index]) }
    guard power <= Self.pauseFactor * least else { return }
    // A much softer moment tells that what was taken for a pause was none.
    let isNews = !hasLearnt || 4 * power < autocorrelation[0]
    let rate = isNews ? 1 : Self.learningRate * Float(block.count) / Float(Self.blockFrames)
    var decay: Float = 1
    for lag in 0...Self.order {
      var sum: Float = 0
      for index in lag..<block.count { sum += block[index] * block[index - lag] }
      let value = decay * sum / Float(block.count)
      autocorrelation[lag] += rate * (value - autocorrelation[lag])
      decay *= Self.lagDecay
    }
    hasLearnt = true
  }

  private mutating func note(_ power: Float, frames: Int) {
    leastOfSpans[spanIndex] = min(leastOfSpans[spanIndex], power)
    blocksInSpan += 1
    guard blocksInSpan * frames >= Self.spanBlocks * Self.blockFrames else { return }
    blocksInSpan = 0
    spanIndex = (spanIndex + 1) % leastOfSpans.count
    leastOfSpans[spanIndex] = power
  }

  /// Levinson-Durbin; returns the excitation's share of the power.
  private mutating func solve() -> Float {
    filter = Coefficients(repeating: 0)
    filter[0] = 1
    // A floor 40 dB down: without it the softest spectrum has no solution.
    let total = autocorrelation[0] * 1.0001
    var error = total
    for step in 1...Self.order {
      var sum = autocorrelation[step]
      for lag in 1..<step { sum += filter[lag] * autocorrelation[step - lag] }
      let reflection = -sum / error
      guard abs(reflection) < 1 else { break }
      var next = filter
      for lag in 1..<step { next[lag] = filter[lag] + reflection * filter[step - lag] }
      next[step] = reflection
      filter = next
      error *= 1 - reflection * reflection
    }
    return error / total
  }
}
