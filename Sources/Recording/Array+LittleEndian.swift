extension [UInt8] {
  /// Adds a number, its lowest byte first.
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  /// Adds the letters of a chunk's or packet's name.
  mutating func append(tag: String) { append(contentsOf: tag.utf8) }
}
