/// The number of an RTP packet in its stream: 32 bits of roll-over counter, then the 16 of the sequence number (RFC 3711 §3.3.1).
enum PacketIndex {
  /// One beyond the greatest.
  static let limit: UInt64 = 1 << 48

  /// The index that a sequence number most likely means (RFC 3711 appendix A).
  ///
  /// - Parameter highest: the highest index known; nil: the stream is just beginning, with a roll-over counter of 0.
  /// - Returns: nil for one below 0 or beyond the greatest.
  static func estimate(_ sequenceNumber: UInt16, highest: UInt64?) -> UInt64? {
    guard let highest else { return UInt64(sequenceNumber) }
    let distance = Int16(truncatingIfNeeded: Int(sequenceNumber) - Int(highest & 0xFFFF))
    // Half way round both directions are as near: the RFC's formula takes the one within the same turn.
    let (index, isBelow) =
      distance == .min
      ? ((highest & ~0xFFFF) | UInt64(sequenceNumber), false)
      : distance < 0
        ? highest.subtractingReportingOverflow(UInt64(distance.magnitude))
        : (highest + UInt64(distance), false)
    return isBelow || index >= limit ? nil : index
  }
}
