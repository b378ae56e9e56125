internal import Glibc

/// Tells speech from noise, crowds and music: a recurrent network over ``SpeechFeatures``, 100 times a second.
///
/// It decides some 30 ms after a word begins. Its weights and how they were trained: `Tests/Quality/detector`.
public final class VoiceDetector {
  /// The probabilities at which it takes something for speech, and no longer.
  private enum Threshold { static let (speech, none) = (Float(0.6), Float(0.35)) }

  /// Whether it hears speech; decided anew each 10 ms.
  public private(set) var isSpeech = false
  /// 0…1.
  private(set) var probability: Float = 0
  private let resampler: StreamResampler
  private var features = SpeechFeatures()
  private var network = SpeechNetwork.trained
  private var hop = [Float](repeating: 0, count: SpeechFeatures.hopFrames)

  /// A detector that has heard nothing; nil: out of memory, or a rate that cannot be converted.
  public init?(sampleRate: Int, blockFrames: Int) {
    guard
      let resampler = StreamResampler(
        from: sampleRate, to: SpeechFeatures.sampleRate,
        mostFrames: max(blockFrames, SpeechFeatures.hopFrames))
    else { return nil }
    self.resampler = resampler
  }

  /// Listens to at most 10 ms.
  public func observe(_ frames: Span<Float>) {
    resampler.convert(frames)
    while resampler.count >= SpeechFeatures.hopFrames {
      resampler.take(SpeechFeatures.hopFrames, into: &hop)
      features.take(hop.span)
      decide(network.step(features.values))
    }
  }

  private func decide(_ probability: Float) {
    self.probability = probability
    isSpeech = probability > (isSpeech ? Threshold.none : Threshold.speech)
  }
}

/// A layer of its inputs, a gated recurrent unit, and one output.
struct SpeechNetwork {
  private static let (dense, state) = (32, 52)

  private let (input, inputBias): ([Float], [Float])
  private let (given, givenBias): ([Float], [Float])
  private let (own, ownBias): ([Float], [Float])
  private let (output, outputBias): ([Float], [Float])
  private var (inner, gates): ([Float], [Float]) = ([], [])
  private var (memory, hidden): ([Float], [Float]) = ([], [])

  private static let shared = SpeechNetwork()

  /// One that heard nothing, with the trained weights (``SpeechWeights``).
  ///
  /// Its tables are shared by all; what it writes to is its own from the start, so that no step allocates.
  static var trained: SpeechNetwork {
    var network = shared
    network.inner = Array(repeating: 0, count: Self.dense)
    network.gates = Array(repeating: 0, count: 3 * Self.state)
    network.memory = Array(repeating: 0, count: 3 * Self.state)
    network.hidden = Array(repeating: 0, count: Self.state)
    return network
  }

  private init() {
    var rest = SpeechWeights.values()[...]
    func next(_ count: Int) -> [Float] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    let (dense, state) = (Self.dense, Self.state)
    (input, inputBias) = (next(dense * SpeechFeatures.count), next(dense))
    (given, givenBias) = (next(3 * state * dense), next(3 * state))
    (own, ownBias) = (next(3 * state * state), next(3 * state))
    (output, outputBias) = (next(state), next(1))
    precondition(outputBias.count == 1 && rest.isEmpty, "other weights than the network has")
  }

  /// The probability of speech after one more row of features.
  mutating func step(_ features: [Float]) -> Float {
    Self.multiply(input, features, inputBias, into: &inner)
    for index in inner.indices { inner[index] = tanhf(inner[index]) }
    Self.multiply(given, inner, givenBias, into: &gates)
    Self.multiply(own, hidden, ownBias, into: &memory)
    GatedRecurrence.advance(&hidden, given: gates, own: memory)
    var sum = outputBias[0]
    for index in 0..<Self.state { sum += output[index] * hidden[index] }
    return GatedRecurrence.sigmoid(sum)
  }

  /// The weights, a row for each result, times the values, and the bias.
  static func multiply(
    _ weights: [Float], _ values: [Float], _ bias: [Float], into result: inout [Float]
  ) {
    for row in result.indices {
      var sum = bias[row]
      let start = row * values.count
      for column in 0..<values.count { sum += weights[start + column] * values[column] }
      result[row] = sum
    }
  }
}
