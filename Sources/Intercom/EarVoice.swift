public import Audio
import Synchronization

/// Sound between a station and somebody who talks with its user or a guest off the loop: the microphone, whatever the
/// keys, and a voice in that one's own ear.
public final class EarLink: Sendable {
  /// Frames of either way that may wait: 20 s of a voice that is made faster than it is spoken.
  private static let seconds = 20

  /// JACK's rate, of both; of a guest 48 kHz.
  public let sampleRate: Int
  /// What the microphone has, by way of the voice chain; read off the loop.
  public let microphone: SoundQueue
  /// What the user is to hear; written off the loop.
  public let ear: SoundQueue
  private let ended = Atomic(false)

  /// Allocates; off the loop.
  init(sampleRate: Int) throws(AudioError) {
    self.sampleRate = sampleRate
    microphone = try SoundQueue(leastFrames: sampleRate)
    ear = try SoundQueue(leastFrames: Self.seconds * sampleRate)
  }

  /// Whether nothing comes or goes any more: it was ended, JACK runs at another rate, or the guest has gone.
  public var isOver: Bool { ended.load(ordering: .relaxed) }

  func end() { ended.store(true, ordering: .relaxed) }
}

/// Carries an ``EarLink``'s sound on the loop: the microphone to it, its voice to a slot of the mix that nobody else's
/// bus has.
///
/// Loop thread only. Per period nothing here allocates, locks or calls the system.
final class EarVoice {
  /// What waits in the slot's ring: the loop may be that late, and a voice that is cut off goes on for it at most.
  private static let aheadNanoseconds: Int64 = 40_000_000

  private let engine: AudioEngine
  private var link: EarLink?
  private var place: EarSlot?

  init(_ engine: AudioEngine) { self.engine = engine }

  /// Whether the microphone is wanted.
  var isListening: Bool { link != nil }

  /// Begins.
  ///
  /// - Throws: that somebody talks there already, or that no slot is free, in words.
  func begin(_ link: EarLink, in slots: Slots) throws(IntercomError) {
    guard self.link == nil else {
      throw .refused("somebody talks at this station's ear already; end that first")
    }
    place = try EarSlot(engine, in: slots, aheadNanoseconds: Self.aheadNanoseconds)
    self.link = link
  }

  /// Ends, if it is that one.
  func end(_ link: EarLink) {
    guard self.link === link else { return }
    end()
  }

  private func end() {
    link?.end()
    place?.end()
    (link, place) = (nil, nil)
  }

  /// Takes frames of the microphone before the talk key.
  func hear(_ pcm: Span<Float>) { link?.microphone.write(pcm) }

  /// One wake-up.
  func step(_ beat: Beat) {
    guard let link, let place, beat.isRunning else { return }
    guard beat.sampleRate == link.sampleRate else { return end() }
    if link.ear.passUnwanted() { place.detach() }
    guard link.ear.availableFrames > 0 || place.isAttached, place.attach() else { return }
    place.fill(beat) { link.ear.read(into: &$0) }
    place.setPlaying(link.ear.availableFrames > 0)
    link.ear.note(waitingFrames: place.fillFrames)
  }
}
