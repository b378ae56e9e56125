import Audio

/// Where a recorder gets its sound: copies what is captured and what goes to the peers' rings onto tapes.
///
/// **The time line** counts frames of JACK: a frame captured in a callback and one played in it have the same position, as
/// in a recorder that is connected to our ports. Periods that JACK ran without us count (`Beat.lineFrames`); the time
/// that it did not run counts by the clock. Position 0 is the first callback after the recording began.
/// What is captured belongs to the callbacks up to the last one; what is written to a ring that holds
/// n frames is played n frames after the next callback's first.
///
/// Published is what can change no more: up to the last callback, but not beyond what was read of the microphone.
///
/// Loop thread only. Per period nothing here allocates, locks or calls the system.
final class RecordingTap {
  let deck: TapeDeck
  private let engine: AudioEngine
  /// The line's frame at position 0.
  private let origin: Int64
  /// The last callback known, and its first frame's position.
  private var callbackCount: UInt64 = 0
  private var callbackPosition: Int64 = 0
  private var periodFrames = 0
  private var microphone: SoundTape?
  private var microphoneCursor = TapCursor()
  /// Tapes by talker: who comes back goes on with its own.
  private var tapesByTalker: [String: SoundTape] = [:]
  /// What was published: sound before that comes too late.
  private(set) var floor: Int64 = 0
  /// False while JACK does not run, and in the wake-up in which it began to: what the rings hold then is of another time.
  private(set) var isOpen = false
  /// How often it was opened again: each time all streams begin anew.
  private(set) var openings = 0

  /// Begins at the beat's next callback; claims a tape for the microphone.
  init(deck: TapeDeck, engine: AudioEngine, beat: Beat, nodeName: String) {
    self.deck = deck
    self.engine = engine
    origin = beat.lineFrames + Int64(beat.periodFrames)
    follow(beat)
    isOpen = beat.isRunning
    if deck.keepsTalkers { microphone = deck.claim(for: nodeName) }
  }

  /// Takes over where the beat stands, once a wake-up, before any sound.
  func follow(_ beat: Beat) {
    isOpen = isOpen && beat.isRunning
    guard beat.isRunning else { return }
    callbackCount = beat.callbackCount
    callbackPosition = beat.lineFrames - origin
    periodFrames = beat.periodFrames
    guard beat.sampleRate == deck.sampleRate else {
      deck.stopForRate(beat.sampleRate)
      isOpen = false
      return
    }
  }

  /// Lets the recorder have what is on the tapes; once a wake-up, after all sound.
  func publish(_ beat: Beat) {
    guard beat.isRunning, beat.sampleRate == deck.sampleRate else { return }
    if isOpen {
      floor = max(floor, min(callbackPosition, microphoneCursor.next ?? floor))
      deck.publish(floor)
    } else {
      microphoneCursor.interrupt()
      openings += 1
    }
    isOpen = true
  }

  /// Takes frames that were read from the capture ring.
  ///
  /// - Parameter availableFrames: what the ring held before.
  func keepCaptured(_ pcm: Span<Float>, availableFrames: Int) {
    guard isOpen else { return }
    let position = microphoneCursor.place(
      pcm.count, estimate: nextCallbackPosition() - Int64(availableFrames), isContinuous: true)
    microphone?.write(pcm, at: position, floor: floor)
  }

  /// The tape of a talker, the one it had if it was here before; nil: there is no spare one just now, or none is wanted.
  ///
  /// Rare; may allocate.
  func tape(of talker: String, called name: String) -> SoundTape? {
    guard deck.keepsTalkers else { return nil }
    if let tape = tapesByTalker[talker] { return tape }
    let tape = deck.claim(for: name)
    tapesByTalker[talker] = tape
    return tape
  }

  /// Position of the first frame of the callback that comes next, by what the audio thread says now.
  func nextCallbackPosition() -> Int64 {
    let count = engine.periodTime()?.count ?? callbackCount
    let passed = Int64(clamping: count > callbackCount ? count - callbackCount : 0)
    return callbackPosition + (passed + 1) * Int64(periodFrames)
  }
}
