/// Reading of network byte order. Callers check bounds first; the spans check again.
extension RawSpan {
  func octet(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  func uint16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  func uint32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  func uint64(at offset: Int) -> UInt64 {
    UInt64(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

/// Writing of network byte order. Callers check bounds first; the span checks again.
extension MutableRawSpan {
  mutating func store(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
  }
}
