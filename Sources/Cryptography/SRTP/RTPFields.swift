/// What SRTP needs of an RTP header (RFC 3550 §5.1): where the payload begins, and what the nonce is made of.
struct RTPFields: Sendable {
  /// The shortest header.
  static let minimumByteCount = 12

  /// Header, contributing sources and extension: authenticated, not encrypted.
  let byteCount: Int
  let sequenceNumber: UInt16
  let ssrc: UInt32

  /// Reads the header of a packet that has `trailer` more octets behind its payload.
  init(_ packet: RawSpan, trailer: Int) throws(CryptoError) {
    let available = packet.byteCount - trailer
    guard available >= Self.minimumByteCount else { throw .datagram(.tooShort) }
    let first = packet.octet(at: 0)
    guard first >> 6 == 2 else { throw .datagram(.malformed) }
    var byteCount = Self.minimumByteCount + 4 * Int(first & 0x0F)
    if first & 0x10 != 0 {
      guard byteCount + 4 <= available else { throw .datagram(.tooShort) }
      byteCount += 4 + 4 * Int(packet.uint16(at: byteCount + 2))
    }
    guard byteCount <= available else { throw .datagram(.tooShort) }
    self.byteCount = byteCount
    sequenceNumber = packet.uint16(at: 2)
    ssrc = packet.uint32(at: 8)
  }
}
