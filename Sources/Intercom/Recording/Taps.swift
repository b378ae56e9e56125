import Audio
import Cryptography

/// Who listens to the sound of a station off its loop: any number of recorders.
///
/// Loop thread only; recorders come and go rarely, and may allocate then.
final class Taps {
  private let engine: AudioEngine
  private let bus: RecordingBus
  private var taps: [RecordingTap] = []

  init(_ engine: AudioEngine) {
    self.engine = engine
    bus = RecordingBus(engine)
  }

  /// Nobody listens.
  var isEmpty: Bool { taps.isEmpty }

  /// Puts all sound of these sessions and the microphone's from now on on a deck's tapes.
  func begin(_ deck: TapeDeck, of sessions: [Session], beat: Beat, nodeName: String) {
    let tap = RecordingTap(deck: deck, engine: engine, beat: beat, nodeName: nodeName)
    taps.append(tap)
    followBus()
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
    followBus()
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
  func follow(_ beat: Beat) { for tap in taps { tap.follow(beat) } }

  /// Publishes tapes to their recorders, once a wake-up, after all audio.
  func publish(_ beat: Beat) {
    guard !taps.isEmpty else { return }
    followBus()
    bus.hand(to: taps)
    for tap in taps { tap.publish(beat) }
  }

  private func followBus() { bus.follow(isWanted: taps.contains(where: \.wantsMix)) }

  /// Takes frames of the microphone that were read from the capture ring, which held so many before.
  func keepCaptured(_ pcm: Span<Float>, availableFrames: Int) {
    for tap in taps { tap.keepCaptured(pcm, availableFrames: availableFrames) }
  }
}
