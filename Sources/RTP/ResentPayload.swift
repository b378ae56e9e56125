/// The payload of a packet that was sent again, in a stream of its own: the original sequence
/// number, then the original payload (RFC 4588 §4).
///
/// The header keeps the original's time stamp and has its own payload type, SSRC and sequence
/// numbers, so that losses and jitter of the original stream are counted as they were (§3).
public enum ResentPayload {
  /// Octets in front of the original payload (OSN).
  public static let headerBytes = 2

  /// The SSRC of the stream of resent packets beside the stream of `ssrc`.
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
