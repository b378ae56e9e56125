/// The payload of a packet that also carries copies of earlier packets' payloads (RFC 2198 §3),
/// read on demand from the bytes it was parsed in.
public struct RedundantPayload: Hashable, Sendable {
  /// A copy of an earlier payload.
  public struct Copy: Hashable, Sendable {
    /// The payload type of the copied payload, 0...127.
    public let payloadType: UInt8
    /// How much earlier than the packet's its time stamp is, in frames, 0...16383.
    public let timestampOffset: Int
    /// Where the copied payload lies; may be empty.
    public let payload: Range<Int>
  }

  /// The greatest time stamp offset that a block header holds (14 bits).
  public static let greatestTimestampOffset = 1 << 14 - 1
  /// The longest copy that a block header can announce (10 bits).
  public static let greatestCopyBytes = 1 << 10 - 1
  /// Octets of the header of one copy.
  public static let copyHeaderBytes = 4
  /// Octets of the header of the primary payload.
  public static let primaryHeaderBytes = 1

  /// The payload type of the packet's own payload, 0...127.
  public let primaryPayloadType: UInt8
  /// Where the packet's own payload lies; may be empty.
  public let primary: Range<Int>
  /// How many copies stand before it.
  public let copyCount: Int
  private let start: Int

  /// Reads the block headers of `payload`, a range of `bytes`.
  ///
  /// Any thread; allocates nothing, never traps.
  /// - Throws: `RTPParseError.redundancy` when headers or copies end after the payload.
  public init(_ payload: Range<Int>, in bytes: borrowing RawSpan) throws(RTPParseError) {
    guard payload.upperBound <= bytes.byteCount else { throw .redundancy }
    var (offset, copies, copyBytes) = (payload.lowerBound, 0, 0)
    while offset < payload.upperBound, bytes.octet(at: offset) & 0x80 != 0 {
      guard payload.upperBound - offset >= Self.copyHeaderBytes else { throw .redundancy }
      copyBytes += Int(bytes.uint16(at: offset + 2) & 0x3FF)
      copies += 1
      offset += Self.copyHeaderBytes
    }
    guard offset < payload.upperBound else { throw .redundancy }
    let primaryStart = offset + Self.primaryHeaderBytes + copyBytes
    guard primaryStart <= payload.upperBound else { throw .redundancy }
    start = payload.lowerBound
    copyCount = copies
    primaryPayloadType = bytes.octet(at: offset)
    primary = primaryStart..<payload.upperBound
  }

  /// Calls `body` with each copy, in the order in which they stand (the oldest first by custom);
  /// `bytes` are those that were parsed.
  public func forEachCopy(in bytes: borrowing RawSpan, _ body: (Copy) -> Void) {
    guard primary.upperBound <= bytes.byteCount else { return }
    var data = start + copyCount * Self.copyHeaderBytes + Self.primaryHeaderBytes
    for index in 0..<copyCount {
      let header = bytes.uint32(at: start + index * Self.copyHeaderBytes)
      let end = data + Int(header & 0x3FF)
      guard end <= primary.lowerBound else { return }
      body(
        Copy(
          payloadType: UInt8(header >> 24) & 0x7F, timestampOffset: Int(header >> 10 & 0x3FFF),
          payload: data..<end))
      data = end
    }
  }

  /// Writes the header of a copy at `offset` of `bytes`, where there must be room.
  ///
  /// All headers stand in front of all payloads, that of the primary last.
  /// - Parameters:
  ///   - payloadType: of the copied payload.
  ///   - timestampOffset: 0...`greatestTimestampOffset`.
  ///   - payloadBytes: 0...`greatestCopyBytes`.
  public static func writeCopyHeader(
    payloadType: UInt8, timestampOffset: Int, payloadBytes: Int, at offset: Int,
    into bytes: inout MutableRawSpan
  ) {
    precondition((0...greatestTimestampOffset).contains(timestampOffset))
    precondition((0...greatestCopyBytes).contains(payloadBytes))
    bytes.store(
      UInt32(payloadType | 0x80) << 24 | UInt32(timestampOffset) << 10 | UInt32(payloadBytes),
      at: offset)
  }

  /// Writes the header of the primary payload at `offset` of `bytes`, where there must be room.
  public static func writePrimaryHeader(
    payloadType: UInt8, at offset: Int, into bytes: inout MutableRawSpan
  ) {
    bytes.store(payloadType & 0x7F, at: offset)
  }
}

/// The payload of an RTX packet, in a stream of its own: the original sequence number, then the
/// original payload (RFC 4588 §4).
///
/// The header keeps the original's time stamp and has its own payload type, SSRC and sequence
/// numbers, so that losses and jitter of the original stream are counted as they were (§3).
public enum RTXPayload {
  /// Octets in front of the original payload (OSN).
  public static let headerBytes = 2

  /// The SSRC of the RTX stream of the stream of `ssrc`.
  ///
  /// RFC 4588 §5.3 leaves it to the receiver to find out which two streams belong together; here
  /// one is the other's complement, as random as that and as hard to guess.
  public static func ssrc(beside ssrc: SSRC) -> SSRC { SSRC(rawValue: ~ssrc.rawValue) }

  /// The original sequence number and where the original payload lies; nil: too short.
  public static func parse(
    _ payload: Range<Int>, in bytes: borrowing RawSpan
  ) -> (sequenceNumber: SequenceNumber, payload: Range<Int>)? {
    guard payload.count >= headerBytes, payload.upperBound <= bytes.byteCount else { return nil }
    return (
      SequenceNumber(rawValue: bytes.uint16(at: payload.lowerBound)),
      (payload.lowerBound + headerBytes)..<payload.upperBound
    )
  }

  /// Writes the original sequence number at `offset` of `bytes`, where there must be room.
  public static func write(
    _ sequenceNumber: SequenceNumber, at offset: Int, into bytes: inout MutableRawSpan
  ) {
    bytes.store(sequenceNumber.rawValue, at: offset)
  }
}
