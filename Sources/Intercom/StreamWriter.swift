import EventLoop
import Media
import RTP

/// Makes the packets of what a talker says, and sends them to those whom they are for: each is protected once for all
/// who get it in the same form.
///
/// Streams hold it, and the way out holds streams: so that is told with each call.
///
/// Loop thread only; allocates nothing.
final class StreamWriter {
  private let talker: Talker
  private var notices = LineNotices()

  init(_ talker: Talker) { self.talker = talker }

  /// Whether what the talker says in a stream is for a session, and there is something to hear, or was just now.
  func sounds(_ stream: OwnStream, to session: Session) -> Bool {
    guard talker.isTalking, session.hears(stream.number),
      let number = talker.number(of: stream.ssrc)
    else { return false }
    return talker.isSpeaking(to: number) && session.isAddressed(by: talker.lines(of: number))
  }

  /// Sends the packet of the talker's last frame, in as many different forms as there are recipes.
  func send(
    _ recipes: [RepairRecipe], of stream: OwnStream, to sessions: [Session], by outlet: PacketOutlet
  ) {
    guard let number = talker.number(of: stream.ssrc), talker.sends(number) else { return }
    for index in recipes.indices {
      send(recipes[index], index, number, of: stream, to: sessions, by: outlet)
    }
  }

  private func send(
    _ recipe: RepairRecipe, _ index: Int, _ number: Int, of stream: OwnStream,
    to sessions: [Session], by outlet: PacketOutlet
  ) {
    let audience = talker.audience(of: number)
    func gets(_ session: Session) -> Bool {
      session.hears(stream.number, inPacketsOf: index) && session.isAddressed(by: audience)
    }
    guard sessions.contains(where: gets) else { return }
    let packet = outlet.makeMedia(index, of: stream) { talker.write(recipe, of: number, into: &$0) }
    guard let packet else { return }
    let octets = talker.payloadOctets(
      ofPacketBytes: packet.byteCount - MediaProtection.mediaOverhead, of: number)
    for session in sessions where gets(session) {
      guard let path = session.active else { continue }
      outlet.send(packet, to: path.address)
      session.countSent(octets: octets, of: stream.number)
    }
  }

  /// Tells those whom the talker's last packet is not for that nobody talks to them, where that is due.
  func sendNotice(of stream: OwnStream, to sessions: [Session], by outlet: PacketOutlet) {
    guard let number = talker.number(of: stream.ssrc), talker.sends(number) else { return }
    let audience = talker.audience(of: number)
    func gets(_ session: Session) -> Bool {
      session.hears(stream.number) && !session.isAddressed(by: audience)
    }
    guard notices.isDue(to: audience, frames: talker.framesPerPacket),
      sessions.contains(where: gets),
      let packet = outlet.makeNotice(
        of: stream, fill: { talker.writeNotice(of: number, into: &$0) })
    else { return }
    for session in sessions where gets(session) {
      guard let path = session.active else { continue }
      outlet.send(packet, to: path.address)
      session.countSent(octets: 1, of: stream.number)
    }
  }

  /// Members are on other lines of one of the talker's streams than before.
  func linesChanged(of number: Int = Talker.baseStream) {
    notices.hurry()
    talker.breakRun(of: number)
  }

  /// Sends a packet of a stream again.
  func resend(
    _ wanted: SequenceNumber, of stream: OwnStream, to address: SocketAddress,
    by outlet: PacketOutlet
  ) {
    guard let number = talker.number(of: stream.ssrc) else { return }
    let packet = outlet.makeMedia(of: stream) {
      talker.writeResent(wanted, of: number, into: &$0)
    }
    if let packet { outlet.send(packet, to: address) }
  }

  /// Whether a packet of a stream can be sent again to a session, which was sent it.
  func remembers(_ wanted: SequenceNumber, of stream: OwnStream, for session: Session) -> Bool {
    guard let number = talker.number(of: stream.ssrc), session.hears(stream.number) else {
      return false
    }
    return talker.remembers(wanted, of: number)
      && session.isAddressed(by: talker.audience(of: wanted, in: number))
  }
}

/// When those whom packets are not for are told so: as soon as it begins, and each 400 ms, as of any pause.
struct LineNotices {
  private static let intervalFrames = 19_200

  private var audience: LineSet?
  private var frames = 0

  /// Members are on other lines: who is not spoken to any more is told with the next packet.
  mutating func hurry() { frames = Self.intervalFrames }

  /// Takes whom a packet goes to, nil: to all; whether the others are to be told.
  mutating func isDue(to audience: LineSet?, frames packetFrames: Int) -> Bool {
    frames += packetFrames
    let isNew = audience != self.audience
    self.audience = audience
    guard audience != nil, isNew || frames >= Self.intervalFrames else { return false }
    frames = 0
    return true
  }
}
