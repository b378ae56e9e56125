extension RawSpan {
  /// The octet at an offset, which must be within.
  func octet(at offset: Int) -> UInt8 {
    precondition(byteOffsets.contains(offset))
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

extension MutableRawSpan {
  /// Sets the octet at an offset, which must be within.
  mutating func set(_ octet: UInt8, at offset: Int) {
    storeBytes(of: octet, toByteOffset: offset, as: UInt8.self)
  }
}
