/// A received RTP packet: its header, and where in the datagram the payload lies.
public struct RTPPacket: Hashable, Sendable {
  /// The fixed header and, where the sender told it, the audio level.
  public let header: RTPHeader
  /// The payload as offsets into the parsed bytes, without padding; may be empty.
  public let payload: Range<Int>

  /// Reads one datagram (RFC 3550 §5.1, §5.3.1, A.1; RFC 8285 §4).
  ///
  /// Contributing sources and unknown extension elements are skipped. The payload type is not
  /// judged. Padding may fill the whole payload, as probing packets of other senders do.
  /// Any thread; allocates nothing, never traps.
  /// - Throws: `truncated`, `version`, `padding` or `headerExtension`.
  public init(parsing bytes: borrowing RawSpan) throws(RTPParseError) {
    guard bytes.byteCount >= RTPHeader.fixedByteCount else { throw .truncated }
    let (first, second) = (bytes.octet(at: 0), bytes.octet(at: 1))
    guard first >> 6 == 2 else { throw .version }
    var start = RTPHeader.fixedByteCount + 4 * Int(first & 0x0F)
    guard start <= bytes.byteCount else { throw .truncated }

    var audioLevel: AudioLevel?
    if first & 0x10 != 0 {
      guard bytes.byteCount - start >= 4 else { throw .headerExtension }
      let body = start + 4
      let end = body + 4 * Int(bytes.uint16(at: start + 2))
      guard end <= bytes.byteCount else { throw .headerExtension }
      audioLevel = try HeaderExtension.audioLevel(
        profile: bytes.uint16(at: start), body: body..<end, in: bytes)
      start = end
    }

    var paddingBytes = 0
    if first & 0x20 != 0 {
      paddingBytes = Int(bytes.octet(at: bytes.byteCount - 1))
      guard paddingBytes > 0, paddingBytes <= bytes.byteCount - start else { throw .padding }
    }
    payload = start..<(bytes.byteCount - paddingBytes)
    header = RTPHeader(
      marker: second & 0x80 != 0, payloadType: second & 0x7F,
      sequenceNumber: SequenceNumber(rawValue: bytes.uint16(at: 2)),
      timestamp: RTPTimestamp(rawValue: bytes.uint32(at: 4)),
      ssrc: SSRC(rawValue: bytes.uint32(at: 8)), audioLevel: audioLevel)
  }
}
