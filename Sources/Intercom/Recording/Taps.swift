import Audio
import Cryptography

/// Who listens to the sound of a station off its loop: any number of recorders, and one who talks with its user.
///
/// Loop thread only; recorders come and go rarely, and may allocate then.
final class Taps {
  private let engine: AudioEngine
  private let buses: [RecordingBus]
  /// Who talks with the user.
  let voice: EarVoice
  private var taps: [RecordingTap] = []
  /// The last of what is said on lines.
  let again = AgainQueue()
  /// The beat of this wake-up.
  private(set) var beat = Beat()
  /// Lets guests hear the microphone, while there are any.
  var monitor: MicrophoneMonitor?
  /// Who has the microphone, whatever the talk key.
  private var memo: SoundPipe?
  /// A test that has the microphone, before the voice chain and after it.
  var listener: (any MicrophoneListener)?

  init(_ engine: AudioEngine) {
    self.engine = engine
    voice = EarVoice(engine)
    buses = RecordingBus.all(engine)
  }

  /// Nobody listens.
  var isEmpty: Bool {
    taps.isEmpty && !voice.isListening && memo == nil && monitor == nil && listener == nil
  }

  /// Whether anybody has the microphone past the talk key.
  var keepsCaptured: Bool { monitor != nil || !taps.isEmpty }

  /// Lets one have the microphone before the talk key; false: another has it.
  func beginMemo(_ pipe: SoundPipe) -> Bool {
    guard memo == nil else { return false }
    memo = pipe
    return true
  }

  func endMemo(_ pipe: SoundPipe) { if memo === pipe { memo = nil } }

  /// Puts all sound of these sessions and the microphone's from now on on a deck's tapes.
  func begin(_ deck: TapeDeck, of sessions: [Session], beat: Beat, nodeName: String) {
    let tap = RecordingTap(deck: deck, engine: engine, beat: beat, nodeName: nodeName)
    taps.append(tap)
    followBuses()
    for session in sessions {
      for stream in session.streams { Self.add(stream, of: session, to: tap) }
    }
  }

  /// Puts nothing on that deck any more; what was captured up to now is on it.
  func end(_ deck: TapeDeck, of sessions: [Session]) {
    for tap in taps where tap.deck === deck {
      for session in sessions { for stream in session.streams { stream.sink.remove(tap) } }
    }
    taps.removeAll { $0.deck === deck }
    followBuses()
  }

  /// Lets recorders have what is played of a session from now on.
  func add(_ stream: HeardStream, of session: Session) {
    for tap in taps { Self.add(stream, of: session, to: tap) }
  }

  private static func add(_ stream: HeardStream, of session: Session, to tap: RecordingTap) {
    stream.sink.add(
      TapTrack(
        tap: tap, talker: stream.title(of: session.node.text),
        name: stream.title(of: session.name)))
  }

  /// Reads the beat's position, once a wake-up, before any audio.
  func follow(_ beat: Beat) {
    self.beat = beat
    for tap in taps { tap.follow(beat) }
  }

  /// Publishes tapes to their recorders, once a wake-up, after all audio.
  func publish(_ beat: Beat) {
    guard !taps.isEmpty else { return }
    followBuses()
    for bus in buses { bus.hand(to: taps) }
    for tap in taps { tap.publish(beat) }
  }

  private func followBuses() {
    for bus in buses {
      var isWanted = false
      for tap in taps where tap.wants(bus.bus) { isWanted = true }
      bus.follow(isWanted: isWanted)
    }
  }

  /// Takes frames of the microphone before the talk key; a pipe of another rate ends.
  func hear(_ pcm: Span<Float>, sampleRate: Int) {
    listener?.hear(treated: pcm, sampleRate: sampleRate)
    voice.hear(pcm)
    guard let memo, !memo.hasEnded else { return }
    if sampleRate == memo.sampleRate { memo.write(pcm) } else { memo.end() }
  }

  /// Takes frames of the microphone that were read from the capture ring, which held so many before.
  func keepCaptured(_ pcm: Span<Float>, availableFrames: Int) {
    monitor?.take(pcm)
    for tap in taps { tap.keepCaptured(pcm, availableFrames: availableFrames) }
  }
}
