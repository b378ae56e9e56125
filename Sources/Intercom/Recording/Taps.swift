import Audio
import Cryptography

/// Who listens to the sound of a station off its loop: any number of recorders.
///
/// Loop thread only; recorders come and go rarely, and may allocate then.
final class Taps {
  private let engine: AudioEngine
  private var taps: [RecordingTap] = []

  init(_ engine: AudioEngine) { self.engine = engine }

  /// Nobody listens.
  var isEmpty: Bool { taps.isEmpty }

  /// Puts all sound of these sessions and the microphone's from now on on a deck's tapes.
  func begin(
    _ deck: TapeDeck, of sessions: [Session], beat: Beat, nodeName: String,
    capturesMicrophone: Bool
  ) {
    let tap = RecordingTap(
      deck: deck, engine: engine, beat: beat, nodeName: nodeName,
      capturesMicrophone: capturesMicrophone)
    taps.append(tap)
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
  }

  /// Lets recorders have what is played of a session from now on.
  func add(_ stream: HeardStream, of session: Session) {
    for tap in taps { Self.add(stream, of: session, to: tap) }
  }

  private static func add(_ stream: HeardStream, of session: Session, to tap: RecordingTap) {
    stream.sink.add(
      TapTrack(
        tap: tap, talker: stream.title(of: session.node.text),
        name: stream.title(of: session.name), settings: session.settings))
  }

  /// Reads the beat's position, once a wake-up, before any audio.
  func follow(_ beat: Beat) { for tap in taps { tap.follow(beat) } }

  /// Publishes tapes to their recorders, once a wake-up, after all audio.
  func publish(_ beat: Beat) { for tap in taps { tap.publish(beat) } }

  /// Takes frames that were read from the capture ring, which held so many before.
  func keepCaptured(_ pcm: Span<Float>, availableFrames: Int) {
    for tap in taps { tap.keepCaptured(pcm, availableFrames: availableFrames) }
  }

  /// The microphone is captured, or something else in its place.
  func setMicrophone(isCaptured: Bool) {
    for tap in taps { tap.setMicrophone(isCaptured: isCaptured) }
  }
}
