import EventLoop

/// Bytes on their way from one address to another.
struct Datagram {
  var source: SocketAddress
  var destination: SocketAddress
  var bytes: [UInt8]
  var arrivalNanoseconds: Int64 = 0

  /// RTCP shares the port with RTP; its packet types are 192 … 223 (RFC 5761 §4).
  var isReport: Bool { bytes.count > 1 && (192...223).contains(bytes[1]) }
  /// Whether a BYE (type 203, RFC 3550 §6.6) is among its packets.
  var isFarewell: Bool { isReport && packets.contains { bytes[$0.lowerBound + 1] == 203 } }

  /// Leaves out a compound's packets of a type.
  mutating func removePackets(ofType type: UInt8) {
    for packet in packets.reversed() where bytes[packet.lowerBound + 1] == type {
      bytes.removeSubrange(packet)
    }
  }

  /// Where each packet of a compound lies (RFC 3550 §6.4: the length counts words, less one).
  private var packets: [Range<Int>] {
    var packets: [Range<Int>] = []
    var offset = 0
    while offset + 4 <= bytes.count {
      let end = offset + 4 + 4 * (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
      packets.append(offset..<min(end, bytes.count))
      offset = end
    }
    return packets
  }
}
