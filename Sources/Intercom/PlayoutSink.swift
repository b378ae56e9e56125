import Audio

/// Takes one peer's decoded audio at 48 kHz to its ring at JACK's rate.
///
/// Sound that a callback did not find in time is left out when it comes: the callback has played silence in its place,
/// and what follows stays at its time. Played late it would delay all that follows, until playout control noticed.
///
/// Loop thread only.
final class PlayoutSink {
  private static let codecRate = 48_000

  private let engine: AudioEngine
  private let slot: PeerSlot
  private var converted: [Float] = []
  private var resampler: Resampler?
  private var rate = PlayoutSink.codecRate
  private var knownUnderrunFrames: UInt64

  /// Longer holes shift the stream, as nobody waits for what was to sound then: a share of a second.
  private static let missedPerSecond = 20

  /// Frames at JACK's rate whose turn has passed before they were written.
  private(set) var missedFrames = 0

  /// Writes to `slot` of `engine`.
  init(engine: AudioEngine, slot: PeerSlot) {
    self.engine = engine
    self.slot = slot
    knownUnderrunFrames = engine.underrunFrames(of: slot)
  }

  /// Looks for holes since the last look, which are the stream's own only while it plays.
  func noticeUnderruns(isPlaying: Bool) {
    let frames = engine.underrunFrames(of: slot)
    let missed = missedFrames + Int(truncatingIfNeeded: frames &- knownUnderrunFrames)
    knownUnderrunFrames = frames
    missedFrames = isPlaying && (0...rate / Self.missedPerSecond).contains(missed) ? missed : 0
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
      writeAtRate(pcm)
      return
    }
    var consumed = 0
    var isMoreInside = false
    while consumed < pcm.count || isMoreInside {
      var output = converted.mutableSpan
      let step = resampler.process(pcm.extracting(consumed...), into: &output)
      writeAtRate(converted.span.extracting(..<step.produced))
      consumed += step.consumed
      isMoreInside = step.produced == converted.count
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
  }

  private func writeAtRate(_ pcm: Span<Float>) {
    let passed = min(missedFrames, pcm.count)
    missedFrames -= passed
    _ = engine.write(pcm.extracting(passed...), to: slot)
  }
}
