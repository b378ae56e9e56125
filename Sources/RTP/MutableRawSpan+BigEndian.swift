/// Writing of network byte order. Callers check bounds first; the span checks again.
extension MutableRawSpan {
  mutating func store(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
  }
}
