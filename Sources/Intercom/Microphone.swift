import Audio
import Glibc

/// Whether the microphone goes out, and how loud the user hears it then: the ear tells that it does.
///
/// Loop thread only.
final class Microphone {
  private let engine: AudioEngine
  /// The talk key.
  private(set) var isTalking = true
  /// The level in the own ear, 0 is as loud as a peer in the middle; nil: not at all.
  private(set) var sidetoneDecibels: Double?
  private var isReplaced = false
  private var isMonitored = false

  /// An open one, with the sidetone that the user wants from the start on.
  init(engine: AudioEngine, sidetoneDecibels: Double?) {
    self.engine = engine
    self.sidetoneDecibels = sidetoneDecibels
    followSidetone()
  }

  /// Whether it goes out: the talk key is on, and nothing else is sent in its place.
  var isOpen: Bool { isTalking && !isReplaced }

  /// Takes the talk key's position.
  func setTalk(_ isOn: Bool) {
    isTalking = isOn
    followSidetone()
  }

  /// Takes in whether a test or a peer's voice is sent in its place.
  func setReplaced(_ isReplaced: Bool) {
    self.isReplaced = isReplaced
    followSidetone()
  }

  /// Takes in whether the user hears it treated: then not as it is, too.
  func setMonitored(_ isMonitored: Bool) {
    self.isMonitored = isMonitored
    followSidetone()
  }

  /// Takes another level in the own ear; nil: not at all.
  func setSidetone(_ decibels: Double?) {
    sidetoneDecibels = decibels
    followSidetone()
  }

  /// Never inlined: in `Station.init` Swift 6.3's optimiser ends this object's lifetime too early, and stops.
  @inline(never)
  private func followSidetone() {
    engine.setTalking(isOpen)
    guard isOpen, !isMonitored, let sidetoneDecibels else { return engine.setSidetone(0) }
    engine.setSidetone(Float(pow(10, sidetoneDecibels / 20)))
  }
}
