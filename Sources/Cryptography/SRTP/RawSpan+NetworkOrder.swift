/// Reading and writing in network byte order. Callers check bounds first; these trap beyond them.
extension RawSpan {
  func octet(at offset: Int) -> UInt8 {
    precondition(byteOffsets.contains(offset))
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  func uint16(at offset: Int) -> UInt16 {
    UInt16(octet(at: offset)) << 8 | UInt16(octet(at: offset + 1))
  }

  func uint32(at offset: Int) -> UInt32 {
    UInt32(uint16(at: offset)) << 16 | UInt32(uint16(at: offset + 2))
  }

  func uint64(at offset: Int) -> UInt64 {
    UInt64(uint32(at: offset)) << 32 | UInt64(uint32(at: offset + 4))
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
