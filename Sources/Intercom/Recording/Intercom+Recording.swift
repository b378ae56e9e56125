public import Audio
import Cryptography
import EventLoop

/// What a recorder needs of a node.
extension Intercom {
  /// Makes a deck of tapes for JACK's present rate and the talkers there are; ``record(on:)`` begins.
  ///
  /// The memory is had off the loop.
  /// - Parameters:
  ///   - keepsTalkers: a tape for each talker, the own microphone among them.
  ///   - keepsMix: two for the mix as it is heard.
  /// - Throws: while JACK does not run, as its rate is unknown then; and where memory is short.
  public nonisolated func makeDeck(
    keepsTalkers: Bool, keepsMix: Bool
  ) async throws(IntercomError) -> TapeDeck {
    guard let (sampleRate, talkers) = await recordingTerms() else {
      throw .refused("JACK does not run; start it, then record")
    }
    do throws(AudioError) {
      return try TapeDeck(
        sampleRate: sampleRate, keepsTalkers: keepsTalkers, keepsMix: keepsMix, talkers: talkers)
    } catch {
      throw .audio(error)
    }
  }

  /// Puts all sound from now on on the deck's tapes; an earlier deck gets no more.
  public func record(on deck: TapeDeck) { station.beginRecording(on: deck) }

  /// Puts nothing on that deck any more.
  public func endRecording(on deck: TapeDeck) { station.endRecording(on: deck) }

  private func recordingTerms() -> (sampleRate: Int, talkers: Int)? {
    let beat = station.beat
    return beat.isRunning ? (beat.sampleRate, station.talkerCount) : nil
  }
}

/// A recorder comes and goes. Rare, and may allocate.
extension Station {
  /// Talkers there are now, the own microphone among them: so many tapes are needed at once.
  var talkerCount: Int { 1 + listeners.count }

  /// Puts all sound from now on on the deck's tapes; an earlier deck gets no more.
  func beginRecording(on deck: TapeDeck) {
    let tap = RecordingTap(
      deck: deck, engine: engine, beat: beat, nodeName: ownName,
      capturesMicrophone: capturesMicrophone)
    self.tap = tap
    capture.tap = tap
    for listener in listeners { tapSound(of: listener.peer) }
  }

  /// Puts nothing on that deck any more; what was captured up to now is on it.
  func endRecording(on deck: TapeDeck) {
    guard tap?.deck === deck else { return }
    tap = nil
    capture.tap = nil
    for peer in peers.all { peer.sink?.track = nil }
  }

  /// Lets the recorder, if there is one, have a connected peer's sound.
  func tapSound(of peer: Peer) {
    guard let tap, let sink = peer.sink else { return }
    let talker = peer.member.node.text
    sink.track = TapTrack(tap: tap, talker: talker, name: peer.name, settings: peer.settings)
  }
}
