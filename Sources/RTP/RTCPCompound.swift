/// Reads the RTCP packets that share a datagram.
public enum RTCPCompound {
  /// The largest compound this project writes, in octets.
  public static let maximumByteCount = 1200

  /// Calls `body` with each packet in order, once the whole compound has proved valid: after a
  /// throw `body` has not been called.
  ///
  /// The rules are those of RFC 3550 A.2: version 2 throughout, a report first, lengths that add
  /// up, padding on the last packet alone. Types that are not known are passed as `other`. Where
  /// `allowsReducedSize`, feedback may come first as well (RFC 5506 §3.4.1).
  /// Any thread; allocates nothing, never traps.
  /// - Throws: `version`, `padding`, `compoundLength`, `compoundStart`, or what is wrong with a
  ///   packet.
  public static func forEachPacket(
    in bytes: RawSpan, allowsReducedSize: Bool = false, _ body: (RTCPPacket) -> Void
  ) throws(RTPParseError) {
    guard allowsReducedSize || !isReducedSize(bytes) else { throw .compoundStart }
    try walk(bytes) { _ in }
    try walk(bytes, body)
  }

  /// Whether a datagram is feedback without the report that RFC 3550 §6.1 wants in front of it.
  ///
  /// Says nothing about validity.
  public static func isReducedSize(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 4, bytes.octet(at: 0) >> 6 == 2 else { return false }
    let first = bytes.octet(at: 1)
    return first == RTCPPacket.PacketType.transportFeedback
      || first == RTCPPacket.PacketType.payloadFeedback
  }

  private static func walk(
    _ bytes: RawSpan, _ body: (RTCPPacket) -> Void
  ) throws(RTPParseError) {
    guard bytes.byteCount > 0 else { throw .compoundLength }
    var offset = 0
    while offset < bytes.byteCount {
      guard bytes.byteCount - offset >= 4 else { throw .compoundLength }
      let (first, packetType) = (bytes.octet(at: offset), bytes.octet(at: offset + 1))
      guard first >> 6 == 2 else { throw .version }
      if offset == 0 {
        guard
          packetType == RTCPPacket.PacketType.senderReport
            || packetType == RTCPPacket.PacketType.receiverReport || isReducedSize(bytes)
        else { throw .compoundStart }
      }
      let end = offset + 4 + 4 * Int(bytes.uint16(at: offset + 2))
      guard end <= bytes.byteCount else { throw .compoundLength }
      let padding = try paddingBytes(from: offset, to: end, isPadded: first & 0x20 != 0, in: bytes)
      body(
        try RTCPPacket(
          packetType: packetType, count: Int(first & 0x1F), body: (offset + 4)..<(end - padding),
          in: bytes))
      offset = end
    }
  }

  /// Only the last packet may be padded, by a multiple of four octets (RFC 3550 §6.4.1).
  private static func paddingBytes(
    from start: Int, to end: Int, isPadded: Bool, in bytes: RawSpan
  ) throws(RTPParseError) -> Int {
    guard isPadded else { return 0 }
    let count = Int(bytes.octet(at: end - 1))
    guard end == bytes.byteCount, count > 0, count % 4 == 0, count <= end - start - 4 else {
      throw .padding
    }
    return count
  }
}
