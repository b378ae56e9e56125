import Audio
import Voice

/// One peer's ring: what its stream renders, until the audio thread takes it.
///
/// Sound that a callback did not find in time is left out when it comes: the callback has concealed it, and what
/// follows stays at its time. Played late it would delay all that follows, until playout control noticed.
///
/// Loop thread only.
final class PlayoutSink {
  private let engine: AudioEngine
  private let slot: PeerSlot
  private var knownUnderrunFrames: UInt64
  private var writtenFrames = 0
  /// Whether the slot plays two channels; nil: nobody asked for it.
  private var isStereo: Bool?

  /// Longer holes shift the stream, as nobody waits for what was to sound then: a share of a second.
  private static let missedPerSecond = 20

  /// Where recorders get what is written.
  private var tracks: [TapTrack] = []
  /// Where the last of lines is kept.
  private var again: (track: AgainTrack, taps: Taps)?

  /// What learns how loud the talker is; nil: nobody asks.
  var level: TalkerLevel?

  /// Frames at JACK's rate whose turn has passed before they were written.
  private(set) var missedFrames = 0

  /// Writes to `slot` of `engine`.
  init(engine: AudioEngine, slot: PeerSlot) {
    self.engine = engine
    self.slot = slot
    knownUnderrunFrames = engine.underrunFrames(of: slot)
  }

  /// Looks for holes since the last look, which are the stream's own only while it plays; returns their frames.
  @discardableResult
  func noticeUnderruns(isPlaying: Bool, sampleRate: Int) -> Int {
    let frames = engine.underrunFrames(of: slot)
    let newFrames = Int(truncatingIfNeeded: frames &- knownUnderrunFrames)
    let missed = missedFrames + newFrames
    knownUnderrunFrames = frames
    let isShort = (0...sampleRate / Self.missedPerSecond).contains(missed)
    missedFrames = isPlaying && isShort ? missed : 0
    return newFrames
  }

  /// Whether the ring has room for as much as was written last;
  /// only of the longest periods it may wait for more than it holds.
  var hasRoom: Bool { AudioEngine.peerCapacityFrames - fillFrames >= writtenFrames }

  /// Frames at JACK's rate still to be played.
  var fillFrames: Int { engine.fillFrames(of: slot) }

  /// Adds sound at JACK's rate; frames that do not fit are lost and counted by the engine as ring errors.
  ///
  /// - Parameter side: as long, of two channels, of which recorders get the mean; empty: there is one.
  func write(_ pcm: Span<Float>, side: Span<Float>) {
    if !side.isEmpty && isStereo == nil { isStereo = engine.addSide(to: slot) }
    writtenFrames = pcm.count
    level?.observe(pcm)
    let passed = min(missedFrames, pcm.count)
    missedFrames -= passed
    let heard = pcm.extracting(passed...)
    let other = isStereo == true && !side.isEmpty ? side.extracting(passed...) : side
    guard !tracks.isEmpty || again?.track.places ?? 0 != 0 else {
      _ = put(heard, other)
      return
    }
    let waitingFrames = fillFrames
    for track in tracks { track.prepare(fillFrames: waitingFrames) }
    let count = put(heard, other)
    for track in tracks {
      track.keep(heard.extracting(..<count), isContinuous: waitingFrames > 0)
    }
    guard let beat = again?.taps.beat else { return }
    again?.track.keep(
      heard.extracting(..<count), nextCallback: beat.lineFrames + Int64(beat.periodFrames),
      waitingFrames: waitingFrames, sampleRate: beat.sampleRate)
  }

  /// The same of one channel.
  func write(_ pcm: Span<Float>) { write(pcm, side: pcm.extracting(..<0)) }

  private func put(_ pcm: Span<Float>, _ side: Span<Float>) -> Int {
    guard isStereo == true, !side.isEmpty else { return engine.write(pcm, to: slot) }
    return engine.write(pcm, side: side, to: slot)
  }

  /// Lets the last of what is written be kept from now on, of lines.
  func keepAgain(_ taps: Taps) { again = (AgainTrack(taps.again), taps) }

  /// What is written is for the lines at these places from now on, a bit each.
  func keepAgain(at places: UInt64) { again?.track.places = places }

  /// Lets a recorder have what is written from now on.
  func add(_ track: TapTrack) { tracks.append(track) }

  /// Lets a recorder have nothing more.
  func remove(_ tap: RecordingTap) { tracks.removeAll { $0.tap === tap } }
}
