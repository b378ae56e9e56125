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
