import Cryptography
import EventLoop

/// What goes out: written into a packet of the endpoint, encrypted there, and sent.
///
/// Loop thread only; allocates nothing.
final class PacketOutlet {
  private let endpoint: any DatagramEndpoint
  private let protection: MediaProtection
  private let drops: DatagramDrops

  init(endpoint: any DatagramEndpoint, protection: MediaProtection, drops: DatagramDrops) {
    (self.endpoint, self.protection, self.drops) = (endpoint, protection, drops)
  }

  /// Makes a packet of a stream that `fill` writes as RTP; each recipe's packets have a key of their own.
  ///
  /// - Returns: nil when there is nothing to send, or no room.
  func makeMedia(
    _ recipeIndex: Int = 0, of stream: OwnStream, fill: (inout MutableRawSpan) -> Int
  ) -> PacketSlot? {
    endpoint.makePacket { packet in
      let byteCount = Self.fill(&packet, sparing: MediaProtection.mediaOverhead, fill)
      guard byteCount > 0 else { return 0 }
      guard let variant = SRTPVariant(recipeIndex) else { return countUnsealed() }
      let sealed = stream.seal(&packet, byteCount: byteCount, variant: variant)
      return sealed > 0 ? sealed : countUnsealed()
    }
  }

  /// Makes what those get in place of a stream's packet whom that is not for; nil: no room.
  func makeNotice(of stream: OwnStream, fill: (inout MutableRawSpan) -> Int) -> PacketSlot? {
    endpoint.makePacket { packet in
      let byteCount = Self.fill(&packet, sparing: MediaProtection.mediaOverhead, fill)
      guard byteCount > 0 else { return 0 }
      let sealed = stream.seal(&packet, byteCount: byteCount, variant: .notice)
      return sealed > 0 ? sealed : countUnsealed()
    }
  }

  /// Sends a compound of reports that `fill` writes.
  func sendReport(to address: SocketAddress, fill: (inout MutableRawSpan) -> Int) {
    let slot = endpoint.makePacket { packet in
      let byteCount = Self.fill(&packet, sparing: MediaProtection.reportOverhead, fill)
      guard byteCount > 0 else { return 0 }
      let sealed = protection.base.sealReport(&packet, byteCount: byteCount)
      return sealed > 0 ? sealed : countUnsealed()
    }
    if let slot { endpoint.send(slot, to: address) }
  }

  /// Sends what is no secret.
  func sendPlain(to addresses: [SocketAddress], fill: (inout MutableRawSpan) -> Int) {
    guard let slot = endpoint.makePacket(fill) else { return }
    for address in addresses { endpoint.send(slot, to: address) }
  }

  /// Sends a packet made in the same wake-up.
  func send(_ packet: PacketSlot, to address: SocketAddress) { endpoint.send(packet, to: address) }

  private static func fill(
    _ packet: inout MutableRawSpan, sparing overhead: Int, _ fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    let room = min(packet.byteCount, MediaProtection.mostSentBytes) - overhead
    guard room > 0 else { return 0 }
    var place = packet._mutatingExtracting(0..<room)
    return fill(&place)
  }

  private func countUnsealed() -> Int {
    drops.count(.unsealed)
    return 0
  }
}
