/// What SRTP needs of an RTP header (RFC 3550 §5.1): where the encrypted part begins, and what the nonce is made of.
///
/// A header extension is encrypted with the payload, all but its first four octets (Cryptex, RFC 9335 §6): levels and
/// whom a packet is for are nobody's but its audience's. Its "defined by profile" field says so, under the tag's
/// protection, and one that does not is refused. Contributing sources, which would have to be moved, nobody sends.
struct RTPFields: Sendable {
  /// The shortest header.
  static let minimumByteCount = 12
  /// The header of a header extension.
  private static let extensionHeaderByteCount = 4

  /// Fixed header and the header of an extension: authenticated, not encrypted.
  let byteCount: Int
  let sequenceNumber: UInt16
  let ssrc: UInt32

  /// Reads the header of a packet that has `trailer` more octets behind its payload.
  init(_ packet: RawSpan, trailer: Int) throws(CryptoError) {
    let available = packet.byteCount - trailer
    guard available >= Self.minimumByteCount else { throw .datagram(.tooShort) }
    let first = packet.octet(at: 0)
    guard first >> 6 == 2, first & 0x0F == 0 else { throw .datagram(.malformed) }
    sequenceNumber = packet.uint16(at: 2)
    ssrc = packet.uint32(at: 8)
    guard first & 0x10 != 0 else {
      byteCount = Self.minimumByteCount
      return
    }
    byteCount = Self.minimumByteCount + Self.extensionHeaderByteCount
    guard byteCount <= available else { throw .datagram(.tooShort) }
    let extensionByteCount = 4 * Int(packet.uint16(at: byteCount - 2))
    guard byteCount + extensionByteCount <= available else { throw .datagram(.tooShort) }
  }

  /// Marks a packet's extension, if it has one, as encrypted (RFC 9335 §5.1), or as what it is in clear.
  ///
  /// - Throws: `malformed` for an extension of another form, or one that is marked so already.
  func mark(_ packet: inout MutableRawSpan, _ change: ExtensionMark) throws(CryptoError) {
    guard byteCount > Self.minimumByteCount else { return }
    let found = packet.bytes.uint16(at: Self.minimumByteCount)
    let marked: UInt16
    switch (found, change) {
    case (0xBEDE, .encrypted): marked = 0xC0DE
    case (0xC0DE, .clear): marked = 0xBEDE
    case (0x1000, .encrypted): marked = 0xC2DE
    case (0xC2DE, .clear): marked = 0x1000
    default: throw .datagram(.malformed)
    }
    packet.storeBytes(of: marked.bigEndian, toByteOffset: Self.minimumByteCount, as: UInt16.self)
  }

  enum ExtensionMark { case encrypted, clear }
}

/// Reading and writing in network byte order. Callers check bounds first; these trap beyond them.
extension RawSpan {
  func octet(at offset: Int) -> UInt8 {
    precondition(byteOffsets.contains(offset))
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  func uint16(at offset: Int) -> UInt16 {
    unsafe UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  func uint32(at offset: Int) -> UInt32 {
    unsafe UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  func uint64(at offset: Int) -> UInt64 {
    unsafe UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension MutableRawSpan {
  mutating func store(_ value: UInt32, at offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
  }

  /// Copies octets to an offset, where there must be room.
  mutating func copy(_ source: RawSpan, to offset: Int) {
    precondition(offset >= 0 && source.byteCount <= byteCount - offset)
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
      }
    }
  }
}
