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

/// An RTP time stamp in units of the media clock (48 kHz for Opus), which wraps after 2^32 - 1
/// (RFC 3550 §5.1, RFC 7587 §4.1).
///
/// Not `Comparable`: order on a circle is only meaningful as a distance.
public struct RTPTimestamp: Hashable, Sendable {
  /// The time stamp as it stands in the packet.
  public var rawValue: UInt32

  /// Makes the time stamp with this value on the wire.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The time stamp `frames` later, or earlier when `frames` is negative; wraps.
  public func advanced(by frames: Int) -> RTPTimestamp {
    RTPTimestamp(rawValue: rawValue &+ UInt32(truncatingIfNeeded: frames))
  }

  /// The shortest way round to `other` in frames, -2^31..<2^31; positive when `other` is later.
  public func distance(to other: RTPTimestamp) -> Int {
    Int(Int32(bitPattern: other.rawValue &- rawValue))
  }
}

/// A synchronisation source: the random name of one RTP stream (RFC 3550 §3, §8).
public struct SSRC: Hashable, Sendable {
  /// The identifier as it stands in the packet.
  public var rawValue: UInt32

  /// Makes the source identifier with this value on the wire.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
