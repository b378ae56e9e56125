import Audio

/// Takes one peer's decoded audio at 48 kHz to its ring at JACK's rate.
///
/// Loop thread only.
final class PlayoutSink {
  private static let codecRate = 48_000

  private let engine: AudioEngine
  private let slot: PeerSlot
  private var converted: [Float] = []
  private var resampler: Resampler?
  private var rate = PlayoutSink.codecRate

  /// Writes to `slot` of `engine`.
  init(engine: AudioEngine, slot: PeerSlot) {
    self.engine = engine
    self.slot = slot
  }

  /// Follows JACK's sample rate; allocates only when it changed.
  func setRate(_ sampleRate: Int) throws(AudioError) {
    guard sampleRate != rate else { return }
    let ratio = Double(sampleRate) / Double(Self.codecRate)
    resampler = sampleRate == Self.codecRate ? nil : try Resampler(ratio: ratio)
    converted = resampler == nil ? [] : [Float](repeating: 0, count: 2048)
    rate = sampleRate
  }

  /// Frames at JACK's rate still to be played.
  var fillFrames: Int { engine.fillFrames(of: slot) }

  /// Adds decoded audio; frames that do not fit are lost and counted by the engine as ring errors.
  func write(_ pcm: Span<Float>) {
    guard let resampler else {
      _ = engine.write(pcm, to: slot)
      return
    }
    var consumed = 0
    var isMoreInside = false
    while consumed < pcm.count || isMoreInside {
      var output = converted.mutableSpan
      let step = resampler.process(pcm.extracting(consumed...), into: &output)
      _ = engine.write(converted.span.extracting(..<step.produced), to: slot)
      consumed += step.consumed
      isMoreInside = step.produced == converted.count
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
  }
}
