import Audio

/// One peer's ring: what its stream renders, until the audio thread takes it.
///
/// Loop thread only.
struct PlayoutSink {
  private let engine: AudioEngine
  private let slot: PeerSlot

  /// Writes to `slot` of `engine`.
  init(engine: AudioEngine, slot: PeerSlot) {
    self.engine = engine
    self.slot = slot
  }

  /// Frames at JACK's rate still to be played.
  var fillFrames: Int { engine.fillFrames(of: slot) }

  /// Adds sound at JACK's rate; frames that do not fit are lost and counted by the engine as ring errors.
  func write(_ pcm: Span<Float>) { _ = engine.write(pcm, to: slot) }
}
