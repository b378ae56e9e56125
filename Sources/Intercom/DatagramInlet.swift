import Cryptography
import EventLoop
import Media
import RTP

/// A datagram's way in: whose it says it is, whether that is true, and only then what it says.
///
/// Loop thread only; allocates nothing.
final class DatagramInlet {
  private let protection: MediaProtection
  private let roster: Roster
  private let repair: RepairDesk
  private let knocks: KnockDesk
  private let drops: DatagramDrops
  private let pace: WorkPace

  init(
    protection: MediaProtection, roster: Roster, repair: RepairDesk, knocks: KnockDesk,
    drops: DatagramDrops, pace: WorkPace
  ) {
    (self.protection, self.roster) = (protection, roster)
    (self.repair, self.knocks, self.drops, self.pace) = (repair, knocks, drops, pace)
  }

  /// Takes a datagram; its bytes may be anything.
  func take(_ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64) {
    pace.markIfResting()
    defer { pace.finish(.receiving) }
    switch DatagramKind.classify(bytes) {
    case .unknown: knocks.hear(bytes, nowNanoseconds: arrivalNanoseconds)
    case .rtcp: takeReport(bytes, from: address, nowNanoseconds: arrivalNanoseconds)
    case .rtp: takeMedia(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
    }
  }

  private func takeMedia(
    _ datagram: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard let session = roster.sessions.claimant(ofMedia: datagram) else {
      countUnknown(SRTPReceiver.claimedSSRC(ofMedia: datagram), from: address)
      return
    }
    guard
      let plain = unsafe open(
        datagram, isReport: false, of: session, arrivalNanoseconds: arrivalNanoseconds)
    else { return }
    let path = roster.path(from: address, of: session, nowNanoseconds: arrivalNanoseconds)
    session.isHeard(by: path, sendingMedia: true, nowNanoseconds: arrivalNanoseconds)
    // Where it may be heard was proved by its key; where it may be sent to, its address has yet to prove.
    guard let active = session.active else {
      drops.count(.unknownSource)
      return
    }
    let bytes = unsafe plain.bytes
    do throws(RTPParseError) {
      try play(
        RTPPacket(parsing: bytes), bytes, of: session, by: path ?? active,
        arrivalNanoseconds: arrivalNanoseconds)
    } catch {
      drops.count(error)
    }
  }

  /// Checks and decrypts a datagram of a member; nil: it is not authentic, or not new.
  private func open(
    _ datagram: RawSpan, isReport: Bool, of session: Session, arrivalNanoseconds: Int64
  ) -> UnsafeRawBufferPointer? {
    do throws(CryptoError) {
      let ssrc =
        isReport
        ? SRTPReceiver.claimedSSRC(ofControl: datagram)
        : SRTPReceiver.claimedSSRC(ofMedia: datagram)
      guard let keys = ssrc.flatMap({ session.keys(of: $0) }) else {
        throw .datagram(.unknownKey)
      }
      let plain = try unsafe protection.open(datagram, isReport: isReport, by: keys.receiver)
      session.isAlive(atNanoseconds: arrivalNanoseconds)
      return unsafe plain
    } catch {
      drops.count(error)
      return nil
    }
  }

  private func countUnknown(_ ssrc: UInt32?, from address: SocketAddress) {
    if let ssrc, protection.isOwn(ssrc) {
      drops.count(.ownSSRC)
    } else if roster.sessions.owner(of: address) == nil {
      drops.count(.unknownSource)
    } else {
      drops.count(.unknownSSRC)
    }
  }

  private func play(
    _ packet: RTPPacket, _ bytes: RawSpan, of session: Session, by path: Path,
    arrivalNanoseconds: Int64
  ) throws(RTPParseError) {
    let ssrc = packet.header.ssrc
    if packet.header.payloadType == PayloadType.resent {
      // A packet sent again belongs to no report: it is no packet of the stream itself (RFC 4588 §3).
      guard let heard = session.stream(resentAs: ssrc) else {
        drops.count(.unknownSSRC)
        return
      }
      guard session.gain(of: heard, for: packet.header.lines) > 0 else { return }
      heard.stream.receiveResent(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
      return
    }
    let redundant =
      packet.header.payloadType == PayloadType.redundant
      ? try RedundantPayload(packet.payload, in: bytes) : nil
    guard (redundant?.primaryPayloadType ?? packet.header.payloadType) == PayloadType.opus else {
      drops.count(.wrongPayloadType)
      return
    }
    guard let heard = session.stream(ssrc) else {
      drops.count(.unknownSSRC)
      return
    }
    // Not counted before a report came from that address.
    _ = path.reports.receive(packet.header, arrivalNanoseconds: arrivalNanoseconds)
    let isForUs = roster.follow(packet.header.lines, by: heard, of: session)
    if let redundant {
      heard.stream.receive(
        packet, redundant: redundant, bytes: bytes, isForUs: isForUs,
        arrivalNanoseconds: arrivalNanoseconds)
    } else {
      heard.stream.receive(
        packet, bytes: bytes, isForUs: isForUs, arrivalNanoseconds: arrivalNanoseconds)
    }
    if heard.isNewlyLate { session.hasten() }
  }

  private func takeReport(
    _ datagram: RawSpan, from address: SocketAddress, nowNanoseconds: Int64
  ) {
    guard let session = roster.sessions.claimant(ofReport: datagram) else {
      countUnknown(SRTPReceiver.claimedSSRC(ofControl: datagram), from: address)
      return
    }
    guard
      let plain = unsafe open(
        datagram, isReport: true, of: session, arrivalNanoseconds: nowNanoseconds)
    else { return }
    let bytes = unsafe plain.bytes
    do throws(RTPParseError) {
      let isFeedback = RTCPCompound.isReducedSize(bytes)
      let isLeaving = isFeedback ? false : try Self.isFarewell(bytes)
      if isLeaving {
        drops.count(.unprovedGoodbye)
        return
      }
      let path = roster.path(from: address, of: session, nowNanoseconds: nowNanoseconds)
      session.isHeard(by: path, sendingMedia: false, nowNanoseconds: nowNanoseconds)
      if isFeedback {
        try takeFeedback(bytes, of: session, nowNanoseconds: nowNanoseconds)
      } else if let path {
        try roster.take(bytes, of: session, by: path, nowNanoseconds: nowNanoseconds)
      }
    } catch {
      drops.count(error)
    }
  }

  /// What is asked for is sent again to the address that proved to be the member's own.
  private func takeFeedback(
    _ bytes: RawSpan, of session: Session, nowNanoseconds: Int64
  ) throws(RTPParseError) {
    guard let active = session.active else {
      drops.count(.unknownSource)
      return
    }
    try repair.take(bytes, of: session, by: active, nowNanoseconds: nowNanoseconds)
  }

  /// Whether a compound holds a BYE.
  private static func isFarewell(_ bytes: RawSpan) throws(RTPParseError) -> Bool {
    var isLeaving = false
    try RTCPCompound.forEachPacket(in: bytes) { if case .bye = $0 { isLeaving = true } }
    return isLeaving
  }
}

/// The dynamic payload types (RFC 7587 leaves the number to the application).
enum PayloadType {
  static let opus: UInt8 = 111
  /// Of packets with copies (RFC 2198).
  static let redundant: UInt8 = 112
  /// Of packets sent again (RFC 4588).
  static let resent: UInt8 = 113
}
