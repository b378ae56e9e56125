internal import Glibc

/// RNNoise's result together with what a small recurrent network leaves of each band of the same sound.
///
/// How much of either it takes the network says each 10 ms, so that a voice without noise passes as it is; as late as
/// RNNoise makes it. Its weights (``MaskWeights``) and how they were trained: `Tests/Quality/correction`; features.py
/// is its twin.
struct BandMask: ~Copyable {
  static let blockFrames = BandSpectrum.blockFrames
  private enum Shape {
    static let floor: Float = 1e-7
    static let silence: Float = -70
    /// The loudest that was heard falls by so much a block, dB; what noise is, is learned within 0.2 s of pauses.
    static let (fall, learning): (Float, Float) = (0.02, 0.05)
    /// The least that was heard rises by so much a block, dB, and is that of some 50 ms.
    static let (rise, smoothing): (Float, Float) = (0.04, 0.2)
    /// How much of the sound is the network's; the rest is RNNoise's.
    static let part: Float = 0.85
    /// What is no more probable than so is no voice, and what leaves no more than so of the power no word; a pause is
    /// so many blocks of both.
    static let (voice, word, pauseBlocks): (Float, Float, Int) = (0.5, 0.06, 20)
    /// RNNoise's result is looked at in 720 frames, what came in 960: their windows' amplitudes.
    static let windows: Float = 1.333
  }

  private var spectrum = BandSpectrum()
  private var network = MaskNetwork.trained
  /// The last windows of what came in, and of what is left.
  private var coming = [Float](repeating: 0, count: BandSpectrum.comingFrames)
  private var left = [Float](repeating: 0, count: BandSpectrum.leftFrames)
  private var now = [Float](repeating: Shape.silence, count: BandSpectrum.bandCount)
  private var noise = [Float](repeating: Shape.silence, count: BandSpectrum.bandCount)
  private var smooth = [Float](repeating: Shape.silence, count: BandSpectrum.bandCount)
  private var least = [Float](repeating: Shape.silence, count: BandSpectrum.bandCount)
  private var loudest: Float = -30
  private var isFirst = true
  private var features = [Float](repeating: 0, count: MaskNetwork.inputs)
  /// The masks, and last how much of RNNoise's result is taken; and how much was.
  private var said = [Float](repeating: 0, count: MaskNetwork.outputs)
  private var share: Float = 0
  /// For how many blocks nobody talked, up to those of a pause.
  private var silentBlocks = Shape.pauseBlocks

  /// Takes what RNNoise will look at next: 10 ms at 48 kHz.
  ///
  /// No louder than full scale, as RNNoise gets it.
  mutating func hear(_ block: Span<Float>) {
    Self.push(block, to: &coming)
  }

  /// Makes the block before that, which holds what RNNoise made of it.
  ///
  /// - Parameter voice: how probable it is that there is a voice in what came last, 0…1.
  mutating func make(_ block: inout MutableSpan<Float>, voice: Float) {
    Self.push(block.span, to: &left)
    spectrum.take(coming, left: left)
    let voice = voice >= 0 ? min(voice, 1) : 0
    look(voice: voice)
    network.run(features, into: &said)
    shape()
    empty(voice: voice)
    spectrum.make(&block, masks: said)
    let wanted = said[BandSpectrum.bandCount]
    let (step, start) = ((wanted - share) / Float(block.count), left.count - block.count)
    for index in 0..<block.count {
      share += step
      block[index] += share * left[start + index]
    }
    share = wanted
  }

  private mutating func shape() {
    let count = BandSpectrum.bandCount
    // Most voices that it learned from end at 100 Hz: what is below goes as what is above.
    (said[0], said[1]) = (said[2], said[2])
    for band in 0..<count { said[band] *= Shape.part }
    said[count] = 1 - Shape.part + Shape.part * said[count]
  }

  /// Leaves no more of a band in a pause than RNNoise does.
  ///
  /// What the network alone takes for a word, or RNNoise for a voice, ends a pause at once; so nothing is taken from
  /// a place without noise, whose pauses the network leaves as they are.
  private mutating func empty(voice: Float) {
    let count = BandSpectrum.bandCount
    var (kept, total) = (Float(0), Shape.floor)
    for band in 0..<count {
      let mask = said[band] / Shape.part
      kept += mask * mask * spectrum.coming[band]
      total += spectrum.coming[band]
    }
    let isTalk = voice > Shape.voice || kept > Shape.word * total
    silentBlocks = isTalk ? 0 : min(silentBlocks + 1, Shape.pauseBlocks)
    guard silentBlocks == Shape.pauseBlocks else { return }
    for band in 0..<count {
      let left = min(1, Shape.windows * powf(10, features[count + band]))
      said[band] = min(said[band], Shape.part * left)
    }
  }

  private mutating func look(voice: Float) {
    let count = BandSpectrum.bandCount
    var total = Shape.floor
    for band in 0..<count { total += spectrum.coming[band] }
    loudest = max(10 * log10f(total), loudest - Shape.fall)
    for band in 0..<count {
      let before = now[band]
      let level = 10 * log10f(spectrum.coming[band] + Shape.floor)
      if isFirst { (noise[band], smooth[band], least[band]) = (level, level, level) }
      now[band] = level
      noise[band] += Shape.learning * (1 - voice) * (level - noise[band])
      smooth[band] += Shape.smoothing * (level - smooth[band])
      least[band] = min(smooth[band], least[band] + Shape.rise)
      let left = 10 * log10f(spectrum.left[band] + Shape.floor)
      features[band] = relative(level)
      features[count + band] = min(6, max(-40, left - before)) / 20
      features[2 * count + band] = relative(left)
      features[3 * count + band] = relative(noise[band])
      features[4 * count + band] = relative(least[band])
    }
    features[5 * count] = voice
    isFirst = false
  }

  private func relative(_ decibels: Float) -> Float {
    min(2, max(-3, (decibels - loudest + 30) / 20))
  }

  /// What is no number is silence: it would never be forgotten.
  private static func push(_ block: Span<Float>, to window: inout [Float]) {
    let kept = window.count - blockFrames
    for index in 0..<kept { window[index] = window[index + blockFrames] }
    for index in 0..<blockFrames {
      let frame = block[index]
      window[kept + index] = frame.isFinite ? min(1, max(-1, frame)) : 0
    }
  }
}

/// A layer, a gated recurrent one, and outputs, which see the features as well.
struct MaskNetwork {
  static let inputs = 5 * BandSpectrum.bandCount + 1
  static let outputs = BandSpectrum.bandCount + 1
  private static let (dense, state) = (64, 160)

  private let (input, given, own): (OctetLayer, OctetLayer, OctetLayer)
  private let (output, direct): (OctetLayer, OctetLayer)
  private let (inputBias, givenBias, ownBias, outputBias): ([Float], [Float], [Float], [Float])
  private var (inner, gates, memory, hidden): ([Float], [Float], [Float], [Float])
  /// The features, what the first layer makes of them, and what is remembered, as layers take them.
  private var (seen, made, remembered): ([Int16], [Int16], [Int16])

  private static let shared = MaskNetwork()

  /// One that heard nothing, with the trained weights, which all share; what it writes to is its own.
  static var trained: MaskNetwork {
    func whole(_ count: Int) -> [Int16] { Array(repeating: 0, count: OctetLayer.count(for: count)) }
    var network = shared
    network.inner = Array(repeating: 0, count: Self.dense)
    network.gates = Array(repeating: 0, count: 3 * Self.state)
    network.memory = Array(repeating: 0, count: 3 * Self.state)
    network.hidden = Array(repeating: 0, count: Self.state)
    network.seen = whole(Self.inputs)
    network.made = whole(Self.dense)
    network.remembered = whole(Self.state)
    return network
  }

  private init() {
    let layers = MaskWeights.layers
    let whole = MaskWeights.values()
    precondition(whole.count == 9, "not the layers that this network has")
    func layer(_ index: Int, values: Int, results: Int) -> OctetLayer {
      OctetLayer(whole[index], values: values, results: results, unit: layers[index].unit)
    }
    func bias(_ index: Int, results: Int) -> [Float] {
      precondition(whole[index].count == results, "not the biases that this network has")
      return whole[index].map { Float($0) * layers[index].unit }
    }
    let (dense, gated, outputs) = (Self.dense, 3 * Self.state, Self.outputs)
    input = layer(0, values: Self.inputs, results: dense)
    inputBias = bias(1, results: dense)
    given = layer(2, values: dense, results: gated)
    givenBias = bias(3, results: gated)
    own = layer(4, values: Self.state, results: gated)
    ownBias = bias(5, results: gated)
    output = layer(6, values: Self.state, results: outputs)
    direct = layer(7, values: Self.inputs, results: outputs)
    outputBias = bias(8, results: outputs)
    (inner, gates, memory, hidden) = ([], [], [], [])
    (seen, made, remembered) = ([], [], [])
  }

  /// What it says, 0…1 each, after one more row of features.
  mutating func run(_ features: [Float], into said: inout [Float]) {
    OctetLayer.quantise(features, into: &seen)
    Self.start(&inner, inputBias)
    input.add(seen, to: &inner)
    for index in inner.indices { inner[index] = tanhf(inner[index]) }
    OctetLayer.quantise(inner, into: &made)
    Self.start(&gates, givenBias)
    given.add(made, to: &gates)
    Self.start(&memory, ownBias)
    own.add(remembered, to: &memory)
    GatedRecurrence.advance(&hidden, given: gates, own: memory)
    OctetLayer.quantise(hidden, into: &remembered)
    Self.start(&said, outputBias)
    output.add(remembered, to: &said)
    direct.add(seen, to: &said)
    for index in said.indices { said[index] = GatedRecurrence.sigmoid(said[index]) }
  }

  private static func start(_ result: inout [Float], _ bias: [Float]) {
    for index in result.indices { result[index] = bias[index] }
  }
}
