import Audio
import Cryptography
import Glibc
import Habits
import Media
import RTP

/// Lets members' streams be heard: takes a place in the mix, something that plays, and lets recorders have them.
///
/// Loop thread only; rare, and may allocate.
final class StreamDesk {
  private let engine: AudioEngine
  private let slots: Slots
  private let reserve: StreamReserve
  private let playout: PlayoutScheduler
  private let taps: Taps
  private let tests: TestDesk
  private let report: @Sendable (IntercomEvent) -> Void
  /// A member could be connected, but for something that plays its stream.
  private(set) var awaitsStream = false
  /// What streams counted that are closed.
  private var closed = PayloadDrops()

  init(
    engine: AudioEngine, slots: Slots, reserve: StreamReserve, playout: PlayoutScheduler,
    taps: Taps, tests: TestDesk, report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.engine, self.slots, self.reserve, self.playout) = (engine, slots, reserve, playout)
    (self.taps, self.tests, self.report) = (taps, tests, report)
  }

  /// Somebody is in sight, whose stream may be opened soon.
  func prepare() { reserve.prepare() }

  /// Begins anew to look whether anybody waits.
  func forgetWaiting() { awaitsStream = false }

  /// Opens a stream of a session; nil: there is no place, or nothing is ready that plays it.
  func open(_ keys: ReceivingKeys, for address: String) -> HeardStream? {
    guard let slot = slots.take() else { return nil }
    guard let player = takePlayer(for: address), engine.attach(slot) else {
      slots.give(slot, hasPort: false)
      return nil
    }
    let stream = HeardStream(keys, in: slot, of: engine, playedBy: player)
    playout.add(stream)
    return stream
  }

  private func takePlayer(for address: String) -> PeerStream? {
    do {
      let player = try reserve.take()
      awaitsStream = player == nil
      return player
    } catch {
      report(.audioFault("cannot decode for \(address): \(error)"))
      return nil
    }
  }

  /// Lets recorders have a stream of a session that has just been opened.
  func tap(_ stream: HeardStream, of session: Session) { taps.add(stream, of: session) }

  /// Closes a stream: it is silent at once, and its place is free.
  func close(_ stream: HeardStream) {
    closed.add(stream.stream.statistics)
    tests.end(with: stream.slot)
    engine.setPlaying(false, for: stream.slot)
    engine.detach(stream.slot)
    playout.remove(stream)
    slots.give(stream.slot, hasPort: true)
    reserve.discard(stream.stream)
  }

  /// Gives the streams' ports the session's name.
  func name(_ session: Session) {
    for stream in session.streams {
      slots.requestPort(of: stream.slot, named: stream.title(of: session.name))
    }
  }

  /// The session's JACK port, as `jack_lsp` shows it.
  func port(of session: Session) -> PeerPort { slots.port(of: session.name) }

  /// Hands gain, mute and pan to the mixer, which ramps them.
  func applySettings(of session: Session) {
    for stream in session.streams {
      applyGain(of: stream, of: session)
      engine.setPan(Float(session.settings.pan), for: stream.slot)
    }
  }

  /// Hands a stream's gain to the mixer: the member's, and that of the line that it is for.
  ///
  /// Allocates nothing.
  func applyGain(of stream: HeardStream, of session: Session) {
    let gain = session.settings.linearGain * stream.lineGain
    engine.setGain(gain, for: stream.slot)
    engine.setGain(gain, for: stream.slot, on: .recording)
  }

  /// What streams counted, those that are closed and those that are heard.
  var payloadDrops: PayloadDrops {
    var drops = closed
    for stream in playout.streams { drops.add(stream.stream.statistics) }
    return drops
  }
}

extension PeerSettings {
  /// The factor the mixer applies.
  var linearGain: Float {
    isMuted ? 0 : Float(pow(10, gainDecibels / 20))
  }
}
