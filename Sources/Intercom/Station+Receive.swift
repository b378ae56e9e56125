import EventLoop
import Media
import RTP

extension Station {
  /// Every datagram's way in; bytes may be anything.
  func datagramReceived(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard !hasSaidGoodbye else { return }
    switch DatagramKind.classify(bytes) {
    case .rtp: receiveMedia(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
    case .rtcp: receiveReport(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
    case .unknown: drops.notRTP += 1
    }
  }

  private func receiveMedia(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard let peer = peers[address], let stream = peer.stream ?? peer.twin?.stream
    else {
      drops.unknownSource += 1
      return
    }
    do {
      let packet = try RTPPacket(parsing: bytes)
      if packet.header.payloadType == Self.resentPayloadType {
        receiveResent(packet, bytes, of: peer, stream, arrivalNanoseconds: arrivalNanoseconds)
        return
      }
      let redundant = try Self.redundantPayload(of: packet, bytes)
      guard
        (redundant?.primaryPayloadType ?? packet.header.payloadType) == Self.payloadType
      else {
        drops.wrongPayloadType += 1
        return
      }
      guard peer.reports.receive(packet.header, arrivalNanoseconds: arrivalNanoseconds) else {
        drops.unknownSSRC += 1
        return
      }
      if let redundant {
        stream.receive(
          packet, redundant: redundant, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
      } else {
        stream.receive(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
      }
    } catch {
      drops.count(error)
    }
  }

  private static func redundantPayload(
    of packet: RTPPacket, _ bytes: RawSpan
  ) throws(RTPParseError) -> RedundantPayload? {
    guard packet.header.payloadType == redundantPayloadType else { return nil }
    return try RedundantPayload(packet.payload, in: bytes)
  }

  /// A packet sent again belongs to no report: it is no packet of the stream itself (RFC 4588 §3).
  private func receiveResent(
    _ packet: RTPPacket, _ bytes: RawSpan, of peer: Peer, _ stream: PeerStream,
    arrivalNanoseconds: Int64
  ) {
    guard let ssrc = peer.reports.remoteSSRC,
      packet.header.ssrc == ResentPayload.ssrc(beside: ssrc)
    else {
      drops.unknownSSRC += 1
      return
    }
    stream.receiveResent(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
  }

  private func receiveReport(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    if RTCPCompound.isReducedSize(bytes) {
      receiveFeedback(bytes, from: address, nowNanoseconds: arrivalNanoseconds)
      return
    }
    guard let peer = peers[address] ?? admit(address, bytes, nowNanoseconds: arrivalNanoseconds)
    else { return }
    do {
      let events = try peer.reports.handle(bytes, nowNanoseconds: arrivalNanoseconds)
      apply(events, to: peer, nowNanoseconds: arrivalNanoseconds)
    } catch {
      drops.count(error)
    }
  }
}
