/// An RTP sequence number, which wraps after 65535 (RFC 3550 §5.1).
///
/// Not `Comparable`: order on a circle is only meaningful as a distance.
public struct SequenceNumber: Hashable, Sendable {
  /// The number as it stands in the packet.
  public var rawValue: UInt16

  /// Makes the sequence number with this value on the wire.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The number `count` packets later, or earlier when `count` is negative; wraps.
  public func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue: rawValue &+ UInt16(truncatingIfNeeded: count))
  }

  /// The shortest way round to `other` in packets, -32768...32767; positive when `other` is newer.
  public func distance(to other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: other.rawValue &- rawValue))
  }
}
