import EventLoop
import Media
import RTP

extension Station {
  /// Every datagram's way in; bytes may be anything.
  func datagramReceived(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard !hasSaidGoodbye else { return }
    if !pace.isMarked { pace.mark(clock()) }
    defer { pace.finish(.receiving, atNanoseconds: clock()) }
    let kind = DatagramKind.classify(bytes)
    if protection != nil, kind != .unknown {
      protectedReceived(
        bytes, isReport: kind == .rtcp, from: address, arrivalNanoseconds: arrivalNanoseconds)
      return
    }
    switch kind {
    case .rtp: receiveMedia(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
    case .rtcp: receiveReport(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
    case .unknown: hearKnock(bytes, nowNanoseconds: arrivalNanoseconds)
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
    receiveMedia(bytes, of: peer, stream, arrivalNanoseconds: arrivalNanoseconds)
  }

  /// Takes a packet, in clear, that came from an entry's address.
  func receiveMedia(
    _ bytes: RawSpan, of peer: Peer, _ stream: PeerStream, arrivalNanoseconds: Int64
  ) {
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
      guard isOfStream(packet.header, peer, arrivalNanoseconds: arrivalNanoseconds) else {
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

  /// Counts a packet of a peer's stream for the reports; false: it is of another stream.
  ///
  /// Of a member it is known which stream is its own, before a report came from that address, too.
  private func isOfStream(
    _ header: RTPHeader, _ peer: Peer, arrivalNanoseconds: Int64
  ) -> Bool {
    if let ssrc = peer.member?.ssrc, header.ssrc.rawValue != ssrc { return false }
    let isCounted = peer.reports.receive(header, arrivalNanoseconds: arrivalNanoseconds)
    return isCounted || peer.member != nil
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
    let own = peer.member?.ssrc.map { SSRC(rawValue: $0) } ?? peer.reports.remoteSSRC
    guard let ssrc = own,
      packet.header.ssrc == RTXPayload.ssrc(beside: ssrc)
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
