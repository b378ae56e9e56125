import Audio
import Lines
import Media
import Mesh
import RTP

/// A guest of this node on the media path: what it says is heard here as a member's is, and goes to members as a stream
/// of its own, in the packets that it came in; what it hears is a mix without itself.
///
/// Loop thread only; allocates nothing after `init`.
final class Guest {
  /// By which the node's lines and its page know it.
  let id: Int
  let seat: GuestSeat
  let stream: OwnStream
  let heard: HeardStream
  private let talker: Talker
  private let writer: StreamWriter
  private let outlet: PacketOutlet
  /// Whom it speaks to; nil: all; empty: nobody.
  private(set) var lines: LineSet? = []
  /// Of its first frame's media time to the talker's.
  private var lastTimestamp: UInt32?
  /// Room for a packet as one from the network.
  private var packet = [UInt8](
    repeating: 0, count: RTPHeader.maximumByteCount + PeerStream.maximumPayloadBytes)

  init(
    _ id: Int, _ seat: GuestSeat, _ stream: OwnStream, talker: Talker, heard: HeardStream,
    outlet: PacketOutlet
  ) {
    (self.id, self.seat, self.stream, self.heard) = (id, seat, stream, heard)
    (self.talker, self.outlet) = (talker, outlet)
    writer = StreamWriter(talker)
    stream.writer = writer
  }

  /// What its port is called.
  var title: String { "\(PeerName.sanitized(stream.source.name)) (guest)" }

  /// Speaks to these lines from now on; nil: to all; empty: to nobody.
  func talk(to lines: LineSet?) {
    guard lines != self.lines else { return }
    self.lines = lines
    if lines?.isEmpty != true { talker.aim(Talker.baseStream, at: lines) }
  }

  /// Members are on other lines than before.
  func linesChanged() { writer.linesChanged() }

  /// Takes what came, plays it here and sends it to members.
  func pass(_ recipes: [RepairRecipe], to sessions: [Session]) {
    seat.line.drain { frame, payload, arrival in
      take(frame, payload, arrivalNanoseconds: arrival, recipes, sessions)
    }
  }

  private func take(
    _ frame: GuestFrame, _ payload: RawSpan, arrivalNanoseconds: Int64,
    _ recipes: [RepairRecipe], _ sessions: [Session]
  ) {
    guard let frames = OpusTOC.frameCount(payload: payload), frames == 480 || frames == 960 else {
      return
    }
    let isOpen = lines?.isEmpty != true
    let said = isOpen ? payload : payload.extracting(first: 1)
    play(frame, said, arrivalNanoseconds: arrivalNanoseconds)
    guard advance(to: frame.timestamp, frames: frames) else { return }
    // What the assistant hears behind closed keys tells nobody else that somebody speaks.
    let spoken = isOpen ? frame.level : 127
    let level = AudioLevel(levelDBov: -Int(spoken), hasVoiceActivity: spoken < 60)
    stream.currentTimestamp = talker.currentTimestamp
    guard talker.relay(said, level: level) else { return }
    writer.send(recipes, of: stream, to: sessions, by: outlet)
    writer.sendNotice(of: stream, to: sessions, by: outlet)
  }

  /// Lets the talker's time follow the browser's; false: the frame is from before what was sent.
  private func advance(to timestamp: UInt32, frames: Int) -> Bool {
    if talker.framesPerPacket != frames {
      talker.aim(VoiceCoding(framesPerPacket: frames, bitsPerSecond: 64_000, isSpeech: false))
    }
    defer { lastTimestamp = timestamp &+ UInt32(frames) }
    guard let last = lastTimestamp else { return true }
    let gap = Int(Int32(truncatingIfNeeded: timestamp &- last))
    // Farther than a minute it is another time line, which goes on where this one was.
    guard abs(gap) < 60 * MediaClock.framesPerSecond else { return true }
    if gap > 0 { talker.pass(frames: gap) }
    return gap >= 0
  }

  /// Gives it to the stream that is heard here, as a packet from the network would come.
  private func play(_ frame: GuestFrame, _ payload: RawSpan, arrivalNanoseconds: Int64) {
    let header = RTPHeader(
      marker: false, payloadType: PayloadType.opus,
      sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: frame.sequence)),
      timestamp: RTPTimestamp(rawValue: frame.timestamp), ssrc: heard.ssrc)
    let byteCount = Self.write(header, payload, into: &packet)
    guard byteCount > 0 else { return }
    let octets = packet
    let written = octets.span.extracting(..<byteCount)
    let datagram = unsafe written.bytes
    guard let parsed = try? RTPPacket(parsing: datagram) else { return }
    heard.stream.receive(
      parsed, bytes: datagram, isForUs: heard.lineGain > 0, arrivalNanoseconds: arrivalNanoseconds)
  }

  private static func write(
    _ header: RTPHeader, _ payload: RawSpan, into packet: inout [UInt8]
  ) -> Int {
    guard header.byteCount + payload.byteCount <= packet.count else { return 0 }
    var span = packet.mutableSpan
    var bytes = unsafe span.mutableBytes
    let start = header.write(into: &bytes)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe payload.withUnsafeBytes { payload in
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyMemory(from: payload)
      }
    }
    return start + payload.byteCount
  }
}

/// The guests of this node.
///
/// Loop thread only; but for coming and going it allocates nothing.
final class GuestDesk {
  private let engine: AudioEngine
  private let streams: StreamDesk
  private let slots: Slots
  private let taps: Taps
  private let outlet: PacketOutlet
  private(set) var guests: [Guest] = []
  /// How loud each of this node's lines is heard here.
  private var own = MemberLines()
  private var talks: [Int: LineSet] = [:]
  private var tellsLines = false
  /// The microphone talks to lines; what is said to a member or a group alone is not for guests.
  private var isForLines = true

  init(
    engine: AudioEngine, streams: StreamDesk, slots: Slots, taps: Taps, outlet: PacketOutlet
  ) {
    (self.engine, self.streams, self.slots) = (engine, streams, slots)
    (self.taps, self.outlet) = (taps, outlet)
  }

  var isEmpty: Bool { guests.isEmpty }

  /// Somebody may come soon.
  func prepare() { streams.prepare() }

  /// Lets a guest in whose stream is open; nil: nothing is ready yet that plays it, or there is no place.
  func admit(_ id: Int, _ stream: OwnStream, talker: Talker) -> Guest? {
    guard let heard = streams.open(stream) else { return nil }
    guard let bus = streams.guestBuses.open(for: heard.slot) else {
      streams.close(heard)
      return nil
    }
    let seat = GuestSeat(stream: stream.number, bus: bus, engine: engine)
    let guest = Guest(id, seat, stream, talker: talker, heard: heard, outlet: outlet)
    guests.append(guest)
    engine.setPan(0, for: heard.slot)
    streams.name(heard, after: guest.title)
    openMonitor()
    follow(guest)
    return guest
  }

  /// Puts a guest out; nobody reads its bus any more.
  func expel(_ guest: Guest) {
    guests.removeAll { $0 === guest }
    streams.guestBuses.close(guest.seat.bus)
    streams.close(guest.heard)
    guard guests.isEmpty, let monitor = taps.monitor else { return }
    taps.monitor = nil
    monitor.end()
    slots.give(monitor.slot, hasPort: false)
  }

  private func openMonitor() {
    guard taps.monitor == nil, let slot = slots.take() else { return }
    guard engine.attach(slot) else { return slots.give(slot, hasPort: false) }
    taps.monitor = MicrophoneMonitor(engine, slot: slot, buses: streams.guestBuses)
    followMonitor()
  }

  private func followMonitor() {
    guard let monitor = taps.monitor else { return }
    streams.guestBuses.set(isForLines ? 1 : 0, of: monitor.slot)
  }

  /// Follows whom guests talk to, and what is heard here.
  func follow(_ routing: LineRouting) {
    var lines = LineRouting.Member(
      addressed: .everyone, gains: routing.ownGains, priorities: routing.ownPriorities)
    // A line's number is its place.
    lines.places = (0..<LineSet.announcementNumber).map { number in number }
    own = MemberLines(lines)
    (talks, tellsLines) = (routing.guests, routing.tellsLines)
    isForLines = !routing.talk.isEmpty
    followMonitor()
    for guest in guests {
      follow(guest)
      guest.linesChanged()
    }
  }

  private func follow(_ guest: Guest) {
    let talk = talks[guest.id] ?? []
    guest.talk(to: talk.isEmpty || tellsLines ? talk : nil)
    // Closed, what still waits is played out as it was.
    guard guest.lines?.isEmpty != true else { return }
    let gain = own.gain(of: guest.lines)
    guest.heard.take(
      guest.lines, gain: gain, priority: own.priority(of: guest.lines),
      places: own.places(of: guest.lines))
    if gain > 0 { streams.apply(gain, to: guest.heard) }
  }

  /// Plays what came of all guests, and sends it to members.
  func pass(_ recipes: [RepairRecipe], to sessions: [Session]) {
    for guest in guests { guest.pass(recipes, to: sessions) }
  }

  /// Takes rates and quality of the time since the last look.
  func measure(elapsedNanoseconds: Int64) {
    for guest in guests {
      guest.heard.measure(elapsedNanoseconds: elapsedNanoseconds, roundTrip: nil)
    }
  }
}
