import Audio
import Cryptography
import EventLoop
import Glibc
import Habits
import Lines
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
  /// What gives way to what.
  let ear: Ear
  /// What guests hear.
  let guestBuses: GuestBuses
  let buses: BusDesk
  /// Where talkers are around the head.
  let surround: Surround
  /// What that takes.
  let headTables: HeadTableReserve
  private let report: @Sendable (IntercomEvent) -> Void
  /// A member could be connected, but for something that plays its stream.
  private(set) var awaitsStream = false
  /// What streams counted that are closed.
  private var closed = PayloadDrops()

  init(
    engine: AudioEngine, slots: Slots, reserve: StreamReserve, playout: PlayoutScheduler,
    taps: Taps, tests: TestDesk, buses: BusDesk, report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.engine, self.slots, self.reserve, self.playout) = (engine, slots, reserve, playout)
    (self.taps, self.tests, self.buses, self.report) = (taps, tests, buses, report)
    headTables = HeadTableReserve(runAside: reserve.runAside)
    surround = Surround(engine: engine, reserve: headTables, report: report)
    ear = Ear(engine: engine)
    ear.apply()
    guestBuses = GuestBuses(engine)
  }

  /// Somebody is in sight, whose stream may be opened soon.
  func prepare() { reserve.prepare() }

  /// Begins anew to look whether anybody waits.
  func forgetWaiting() { awaitsStream = false }

  /// Opens a stream of a session; nil: there is no place, or nothing is ready that plays it.
  func open(_ keys: ReceivingKeys, for address: SocketAddress) -> HeardStream? {
    open(for: address) { slot, player in
      HeardStream(keys, in: slot, of: engine, playedBy: player)
    }
  }

  /// Opens the stream of a guest of this node; nil: there is no place, or nothing is ready that plays it.
  func open(_ own: OwnStream) -> HeardStream? {
    open(for: nil) { slot, player in
      HeardStream(own.number, own.ssrc, own.source, in: slot, of: engine, playedBy: player)
    }
  }

  private func open(
    for address: SocketAddress?, _ make: (PeerSlot, PeerStream) -> HeardStream
  ) -> HeardStream? {
    guard let slot = slots.take() else { return nil }
    guard let player = takePlayer(for: address), engine.attach(slot) else {
      slots.give(slot, hasPort: false)
      return nil
    }
    let stream = make(slot, player)
    stream.sink.keepAgain(taps)
    playout.add(stream)
    return stream
  }

  private func takePlayer(for address: SocketAddress?) -> PeerStream? {
    do {
      let player = try reserve.take()
      if player == nil { awaitsStream = true }
      return player
    } catch {
      report(.audioFault(.cannotDecode(address: address, error)))
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
    surround.apply(nil, to: stream.slot)
    guestBuses.set(0, of: stream.slot)
    playout.remove(stream)
    slots.give(stream.slot, hasPort: true)
    reserve.discard(stream.stream)
  }

  /// Gives the streams' ports the session's name, by which buses know it, too.
  func name(_ session: Session) {
    for stream in session.streams {
      slots.requestPort(of: stream.slot, named: stream.title(of: session.name))
    }
    patch(session)
  }

  /// Hands to the mixer how loud a member is on the buses.
  func patch(_ session: Session) {
    let gains = buses.gains(of: session.name)
    for stream in session.streams {
      stream.busGains = gains
      applyBuses(of: stream)
    }
  }

  private func applyBuses(of stream: HeardStream) {
    buses.apply(
      stream.busGains, factor: stream.isPrivate ? 0 : stream.lineGain, to: stream.slot)
    buses.apply(places: stream.places, to: stream.slot)
  }

  /// Takes what gives way to what, and which lines have ports of their own.
  func follow(_ routing: LineRouting) {
    ear.follow(routing.ear)
    buses.follow(routing.ports)
  }

  /// The session's JACK port, as `jack_lsp` shows it.
  func port(of session: Session) -> PeerPort { slots.port(of: session.name) }

  /// Hands gain, mute and pan to the mixer, which ramps them.
  func applySettings(of session: Session) {
    for stream in session.streams { applyGain(of: stream, of: session) }
  }

  /// Hands a stream's gain and pan to the mixer: the member's, and those of the line that it is for; and what gives way
  /// to it.
  ///
  /// Allocates nothing.
  func applyGain(of stream: HeardStream, of session: Session) {
    apply(session.settings.linearGain * stream.lineGain, to: stream)
    let pan = Float(session.settings.pan) + stream.linePan
    engine.setPan(max(-1, min(1, pan)), for: stream.slot)
    surround.apply(place(of: stream, of: session, pan: pan), to: stream.slot)
  }

  /// Where a stream is heard around the head; nil: by its pan, as all are that are no microphones.
  private func place(of stream: HeardStream, of session: Session, pan: Float) -> HeadPlace? {
    guard stream.isMicrophone else { return nil }
    if let place = session.settings.place { return place }
    guard ear.settings.isSpreading else { return nil }
    return Surround.spread(pan: pan, places: stream.places, slot: stream.slot)
  }

  /// Puts the talkers of sessions in their places, once what that takes is there.
  func place(_ sessions: [Session]) {
    guard surround.follow(sampleRate: playout.beat.sampleRate) else { return }
    for session in sessions {
      applySettings(of: session)
    }
  }

  /// Hands a stream's gain to all mixes that it is heard in.
  ///
  /// Allocates nothing.
  func apply(_ gain: Float, to stream: HeardStream) {
    let gain = ear.gain(gain, of: stream.priority)
    engine.setRank(
      stream.isProgram ? .program : SlotRank.ofPriorities[stream.priority], for: stream.slot)
    engine.setGain(gain * stream.levelFactor, for: stream.slot)
    engine.setGain(gain, for: stream.slot, on: .recording)
    guestBuses.set(stream.isPrivate ? 0 : gain, of: stream.slot)
    applyBuses(of: stream)
  }

  /// Brings the talkers of sessions to like loudness, or back.
  ///
  /// One begins to be learned at a time, as that allocates.
  func level(_ sessions: [Session]) {
    let sampleRate = playout.beat.sampleRate
    let isWanted = ear.settings.isLevelling
    var mayBegin = true
    for session in sessions {
      for stream in session.streams where isWanted || stream.levelDecibels != 0 || stream.isLevelled
      {
        let begins = isWanted && stream.isMicrophone && !stream.isLevelled
        guard !begins || mayBegin else { continue }
        if begins { mayBegin = false }
        guard stream.followLevel(isWanted: isWanted, sampleRate: sampleRate) else { continue }
        applyGain(of: stream, of: session)
      }
    }
  }

  /// A port of its own for a guest's stream, which buses know by the guest's name.
  func name(_ stream: HeardStream, after name: String) {
    slots.requestPort(of: stream.slot, named: name)
    patch(stream)
  }

  /// Hands to the mixer how loud a guest of this node is on the buses.
  func patch(_ guest: HeardStream) {
    guest.busGains = buses.gains(of: guest.source.name)
    buses.apply(guest.busGains, factor: guest.lineGain, to: guest.slot)
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

extension HeardStream {
  /// The factor of its level.
  fileprivate var levelFactor: Float {
    levelDecibels == 0 ? 1 : Float(pow(10, levelDecibels / 20))
  }
}
