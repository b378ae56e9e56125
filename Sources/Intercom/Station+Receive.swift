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
      guard packet.header.payloadType == Self.payloadType else {
        drops.wrongPayloadType += 1
        return
      }
      guard peer.reports.receive(packet.header, arrivalNanoseconds: arrivalNanoseconds) else {
        drops.unknownSSRC += 1
        return
      }
      stream.receive(packet, bytes: bytes, arrivalNanoseconds: arrivalNanoseconds)
    } catch {
      drops.count(error)
    }
  }

  private func receiveReport(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
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
