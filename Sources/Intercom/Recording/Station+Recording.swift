import Audio
import Cryptography
import EventLoop

/// A recorder comes and goes. Rare, and may allocate.
extension Station {
  /// Talkers there are now, the own microphone among them: so many tapes are needed at once.
  var talkerCount: Int { 1 + listeners.count }

  /// Puts all sound from now on on the deck's tapes; an earlier deck gets no more.
  func beginRecording(on deck: TapeDeck) {
    let tap = RecordingTap(
      deck: deck, engine: engine, beat: beat, nodeName: configuration.name,
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
    let talker = peer.member?.node.text ?? peer.address.description
    sink.track = TapTrack(tap: tap, talker: talker, name: peer.name, settings: peer.settings)
  }
}
