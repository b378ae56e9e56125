import Audio

/// The source of a recording: copies captured audio, the audio of the peers' rings and buses onto tapes.
///
/// **The time line** counts frames of JACK: a frame captured in a callback and one played in it have the same position,
/// as in a recorder that is connected to our ports. Periods that JACK ran without us count (`Beat.lineFrames`).
/// Position 0 is the first callback after the recording began.
/// What is captured or mixed belongs to the callbacks up to the last one; what is written to a ring that holds
/// n frames is played n frames after the next callback's first.
///
/// **Breaks.** While JACK does not run, when it comes back at another rate, and where it ran on for longer than a tape
/// has room, the line breaks: the positions go on behind all that was written,
/// and the recorder is told how long it took.
///
/// Published is what can change no more: up to the last callback, but not beyond what was read of microphone and buses.
///
/// Loop thread only. Per period nothing here allocates, locks or calls the system.
final class RecordingTap {
  let deck: TapeDeck
  /// JACK's, since the last break.
  private(set) var sampleRate: Int
  private let engine: AudioEngine
  private let microphone: MicrophoneTrack
  /// One a bus that is wanted.
  private let mixes: [MixTrack]
  /// As of ``prepareMix()``.
  private var mixCallback: Int64 = 0
  /// The beat as it was followed last, and the position of its last callback's first frame.
  private var beat: Beat
  private var callbackPosition: Int64
  /// Since the last callback before the line broke.
  private var brokenNanoseconds: Int64 = 0
  /// Tapes by talker: who comes back goes on with its own.
  private var tapesByTalker: [String: SoundTape] = [:]
  /// End of the published part: earlier audio is too late.
  private(set) var floor: Int64 = 0
  /// End of all audio on tapes.
  private var writtenEnd: Int64 = 0
  /// False while the line is broken: what the rings hold then is of another time.
  private(set) var isOpen: Bool
  /// How often the line was reopened: each time all streams restart.
  private(set) var openings = 0

  /// Begins at the beat's next callback; claims a tape for the microphone.
  init(deck: TapeDeck, engine: AudioEngine, beat: Beat, nodeName: String) {
    self.deck = deck
    self.engine = engine
    sampleRate = deck.sampleRate
    microphone = MicrophoneTrack(tape: deck.keepsTalkers ? deck.claim(for: nodeName) : nil)
    mixes = MixTrack.all(of: deck)
    self.beat = beat
    callbackPosition = -Int64(beat.periodFrames)
    isOpen = beat.isRunning && beat.sampleRate == deck.sampleRate
  }

  /// Reads the beat's position, once a wake-up, before any audio.
  func follow(_ beat: Beat) {
    guard beat.isRunning else {
      isOpen = false
      return
    }
    let passed = beat.lineFrames - self.beat.lineFrames
    let isFarther = passed > Int64(deck.mostJumpFrames)
    isOpen = isOpen && beat.sampleRate == sampleRate && !isFarther
    self.beat = beat
    if isOpen {
      callbackPosition += passed
    } else {
      brokenNanoseconds += Self.nanoseconds(passed, beat.sampleRate)
    }
  }

  /// Publishes the tapes to the recorder, once a wake-up, after all audio.
  func publish(_ beat: Beat) {
    guard beat.isRunning else { return }
    if isOpen {
      var readEnd = microphone.next ?? floor
      for mix in mixes { readEnd = min(readEnd, mix.next ?? floor) }
      floor = max(floor, min(callbackPosition, readEnd))
      deck.publish(floor)
    } else {
      open(beat)
    }
  }

  /// Whether a bus is wanted.
  func wants(_ bus: MixBus) -> Bool { mix(of: bus) != nil }

  private func mix(of bus: MixBus) -> MixTrack? {
    for mix in mixes where mix.bus == bus { return mix }
    return nil
  }

  /// Looks where the next callback belongs, before it is looked at how much a bus has.
  func prepareMix() { mixCallback = nextCallbackPosition() }

  /// Whether the line goes on up to there, or is broken already.
  var isLineSteady: Bool {
    !isOpen || mixCallback - callbackPosition <= Int64(deck.mostJumpFrames)
  }

  /// Takes in that a bus has so many frames, after which others were lost.
  func place(frames: Int, lostFrames: Int, of bus: MixBus) {
    guard isOpen, let mix = mix(of: bus) else { return }
    mix.place(
      frames: frames, lostFrames: lostFrames, nextCallback: mixCallback,
      periodFrames: beat.periodFrames)
    note(end: mix.next ?? 0)
  }

  /// Takes some of these frames, in their order.
  func keep(_ left: Span<Float>, _ right: Span<Float>, of bus: MixBus) {
    guard isOpen, let mix = mix(of: bus) else { return }
    mix.keep(left, right, floor: floor)
  }

  /// Takes frames that were read from the capture ring.
  ///
  /// - Parameter availableFrames: what the ring held before.
  func keepCaptured(_ pcm: Span<Float>, availableFrames: Int) {
    guard isOpen else { return }
    microphone.keep(pcm, estimate: nextCallbackPosition() - Int64(availableFrames), floor: floor)
    note(end: microphone.next ?? 0)
  }

  /// Sound was put on a tape up to there.
  func note(end: Int64) { writtenEnd = max(writtenEnd, end) }

  /// The tape of a talker, the one it had if it was here before;
  /// nil: there is no spare one just now, or none is wanted.
  ///
  /// Rare; may allocate.
  func tape(of talker: String, called name: String) -> SoundTape? {
    guard deck.keepsTalkers else { return nil }
    if let tape = tapesByTalker[talker] { return tape }
    let tape = deck.claim(for: name, id: talker)
    tapesByTalker[talker] = tape
    return tape
  }

  /// Position of the first frame of the callback that comes next, by what the audio thread says now.
  func nextCallbackPosition() -> Int64 {
    let passed = engine.periodTime().map { beat.lineFrames(at: $0) - beat.lineFrames } ?? 0
    return callbackPosition + passed + Int64(beat.periodFrames)
  }

  /// Goes on at the last callback, in the wake-up after which the rings hold nothing of before.
  private func open(_ beat: Beat) {
    let start = max(writtenEnd, floor)
    let before = Self.nanoseconds(callbackPosition - floor, sampleRate)
    let isTold = deck.tell(
      TapeBreak(
        end: floor, start: start, nanoseconds: max(0, before + brokenNanoseconds),
        sampleRate: beat.sampleRate))
    guard isTold else { return }
    brokenNanoseconds = 0
    (callbackPosition, floor, sampleRate) = (start, start, beat.sampleRate)
    microphone.interrupt()
    for mix in mixes { mix.interrupt() }
    openings += 1
    isOpen = true
    deck.publish(start)
  }

  private static func nanoseconds(_ frames: Int64, _ sampleRate: Int) -> Int64 {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(sampleRate))
    return seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(sampleRate)
  }
}
