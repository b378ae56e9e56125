import Audio
import Cryptography
import Media

/// What has time: reports that are due, members that fell silent, rates, ports that JACK did not take on.
///
/// Loop thread only.
final class Housekeeping {
  private static let intervalNanoseconds: Int64 = 50_000_000
  private static let rateNanoseconds: Int64 = 1_000_000_000

  private let engine: AudioEngine
  private let roster: Roster
  let guests: GuestDesk
  private let slots: Slots
  private let tests: TestDesk
  private let microphone: Microphone
  /// Where levels are read without asking the loop.
  let levels: LevelBlock
  private(set) var maxima = StationMaxima()
  private var nextRateNanoseconds: Int64 = 0
  private var nextNanoseconds: Int64 = 0
  /// Looks whether JACK is well, a few times a second; must not block.
  var lookAtSound: (_ nowNanoseconds: Int64) -> Void = { _ in }

  /// Looks whether MIDI messages came, at each wake-up; must not block.
  var lookAtMIDI: () -> Void = {}

  init(
    engine: AudioEngine, roster: Roster, guests: GuestDesk, slots: Slots, tests: TestDesk,
    microphone: Microphone, levels: LevelBlock
  ) {
    self.levels = levels
    self.guests = guests
    (self.engine, self.roster, self.slots) = (engine, roster, slots)
    (self.tests, self.microphone) = (tests, microphone)
  }

  /// Does what is due.
  func keep(nowNanoseconds: Int64) {
    lookAtMIDI()
    if levels.takeWish() { publishLevels(nowNanoseconds: nowNanoseconds) }
    guard nowNanoseconds >= nextNanoseconds else { return }
    nextNanoseconds = nowNanoseconds + Self.intervalNanoseconds
    roster.keepHouse(nowNanoseconds: nowNanoseconds)
    slots.retryPorts()
    lookAtSound(nowNanoseconds)
    if microphone.isOpen { maxima.hear(engine, nowNanoseconds: nowNanoseconds) }
    tests.expireLoopBack(nowNanoseconds: nowNanoseconds)
    guard nowNanoseconds >= nextRateNanoseconds else { return }
    let elapsed = nowNanoseconds - nextRateNanoseconds + Self.rateNanoseconds
    nextRateNanoseconds = nowNanoseconds + Self.rateNanoseconds
    takeMaxima(nowNanoseconds: nowNanoseconds)
    roster.measure(elapsedNanoseconds: elapsed)
    guests.measure(elapsedNanoseconds: elapsed)
  }

  /// Does nothing before then.
  func wait(untilNanoseconds next: Int64) { nextNanoseconds = next }

  /// Stores levels, and who talks, for whoever reads them without asking the loop.
  func publishLevels(nowNanoseconds: Int64) {
    takeMaxima(nowNanoseconds: nowNanoseconds)
    levels.publish(
      micRMS: microphone.isOpen ? engine.micMeter.rms : 0, micPeak: Float(maxima.micPeaks.value),
      mixRMS: engine.mixMeter.rms
    ) { add in
      for session in roster.connected {
        guard let loudest = session.loudest(by: engine) else { continue }
        add(
          LevelBlock.PeerLevel(
            key: session.node.firstBits, rms: loudest.rms, isTalking: session.isPlaying))
      }
    }
  }

  /// Reads worst times since the last look.
  func takeMaxima(nowNanoseconds: Int64) {
    maxima.take(from: engine, nowNanoseconds: nowNanoseconds)
  }
}
