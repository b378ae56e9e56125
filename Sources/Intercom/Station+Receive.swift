import Cryptography
import EventLoop
import Media
import RTP

/// A datagram's way in: whose it says it is, whether that is true, and only then what it says.
extension Station {
  /// Every datagram's way in; bytes may be anything.
  func datagramReceived(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard !hasEnded else { return }
    if !pace.isMarked { pace.mark(clock()) }
    defer { pace.finish(.receiving, atNanoseconds: clock()) }
    let kind = DatagramKind.classify(bytes)
    guard kind != .unknown else {
      hearKnock(bytes, nowNanoseconds: arrivalNanoseconds)
      return
    }
    open(bytes, isReport: kind == .rtcp, from: address, arrivalNanoseconds: arrivalNanoseconds)
  }

  private func open(
    _ datagram: RawSpan, isReport: Bool, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    let claimant =
      isReport
      ? protection.claimant(ofReport: datagram) : protection.claimant(ofMedia: datagram)
    guard let member = claimant else {
      countUnknown(datagram, isReport: isReport, from: address)
      return
    }
    do throws(CryptoError) {
      let plain = try unsafe protection.open(datagram, isReport: isReport, of: member)
      member.heardNanoseconds = max(member.heardNanoseconds, arrivalNanoseconds)
      if isReport {
        receiveReport(
          unsafe plain.bytes, of: member, from: address, nowNanoseconds: arrivalNanoseconds)
      } else {
        receiveMedia(
          unsafe plain.bytes, of: member, from: address, arrivalNanoseconds: arrivalNanoseconds)
      }
    } catch {
      drops.protection.count(error)
    }
  }

  private func countUnknown(_ datagram: RawSpan, isReport: Bool, from address: SocketAddress) {
    let ssrc =
      isReport
      ? SRTPReceiver.claimedSSRC(ofControl: datagram)
      : SRTPReceiver.claimedSSRC(ofMedia: datagram)
    if ssrc == identity.ssrc.rawValue {
      drops.ownSSRC += 1
    } else if peers[address] == nil {
      drops.unknownSource += 1
    } else {
      drops.unknownSSRC += 1
    }
  }

  private func receiveMedia(
    _ bytes: RawSpan, of member: Member, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    let entry = entry(at: address, of: member, nowNanoseconds: arrivalNanoseconds)
    entry?.isHeard(sendingMedia: true, nowNanoseconds: arrivalNanoseconds)
    // Where it may be heard was proved by its key; where it may be sent to, its address has yet to prove.
    guard let connected = member.connected, let stream = connected.stream else {
      drops.unknownSource += 1
      return
    }
    do {
      try take(
        RTPPacket(parsing: bytes), bytes, of: entry ?? connected, stream,
        arrivalNanoseconds: arrivalNanoseconds)
    } catch {
      drops.count(error)
    }
  }

  private func take(
    _ packet: RTPPacket, _ bytes: RawSpan, of peer: Peer, _ stream: PeerStream,
    arrivalNanoseconds: Int64
  ) throws(RTPParseError) {
    let ssrc = peer.member.ssrc.map { SSRC(rawValue: $0) }
    if packet.header.payloadType == Self.resentPayloadType {
      // A packet sent again belongs to no report: it is no packet of the stream itself (RFC 4588 §3).
      guard let ssrc, packet.header.ssrc == RTXPayload.ssrc(beside: ssrc) else {
        drops.unknownSSRC += 1
        return
      }
      stream.receiveResent(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
      return
    }
    let redundant = try Self.redundantPayload(of: packet, bytes)
    guard (redundant?.primaryPayloadType ?? packet.header.payloadType) == Self.payloadType else {
      drops.wrongPayloadType += 1
      return
    }
    guard packet.header.ssrc == ssrc else {
      drops.unknownSSRC += 1
      return
    }
    // Not counted before a report came from that address.
    _ = peer.reports.receive(packet.header, arrivalNanoseconds: arrivalNanoseconds)
    if let redundant {
      stream.receive(
        packet, redundant: redundant, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
    } else {
      stream.receive(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
    }
  }

  private static func redundantPayload(
    of packet: RTPPacket, _ bytes: RawSpan
  ) throws(RTPParseError) -> RedundantPayload? {
    guard packet.header.payloadType == redundantPayloadType else { return nil }
    return try RedundantPayload(packet.payload, in: bytes)
  }

  private func receiveReport(
    _ bytes: RawSpan, of member: Member, from address: SocketAddress, nowNanoseconds: Int64
  ) {
    if RTCPCompound.isReducedSize(bytes) {
      let entry = entry(at: address, of: member, nowNanoseconds: nowNanoseconds)
      entry?.isHeard(sendingMedia: false, nowNanoseconds: nowNanoseconds)
      guard let connected = member.connected else {
        drops.unknownSource += 1
        return
      }
      receiveFeedback(bytes, of: connected, nowNanoseconds: nowNanoseconds)
      return
    }
    do throws(RTPParseError) {
      if try Self.isFarewell(bytes) {
        drops.unprovedGoodbye += 1
        return
      }
      guard let peer = entry(at: address, of: member, nowNanoseconds: nowNanoseconds) else {
        return
      }
      peer.isHeard(sendingMedia: false, nowNanoseconds: nowNanoseconds)
      let events = try peer.reports.handle(bytes, nowNanoseconds: nowNanoseconds)
      if !peer.reports.wasEchoed {
        // It has lost us, maybe, and has yet to get our key: one answer might be none. Where we hear it already by
        // another of its addresses, this one may never be echoed.
        if member.connected == nil {
          peer.reports.introduce(nowNanoseconds: nowNanoseconds)
        } else {
          peer.reports.answer(nowNanoseconds: nowNanoseconds)
        }
      }
      apply(events, to: peer, nowNanoseconds: nowNanoseconds)
      confirmOthers(of: member, but: peer, by: bytes, nowNanoseconds: nowNanoseconds)
    } catch {
      drops.count(error)
    }
  }
}
