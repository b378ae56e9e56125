/// A received RTP packet: its header, and where in the datagram the payload lies.
public struct RTPPacket: Hashable, Sendable {
  /// The fixed header and, where the sender told them, the audio level and whom the packet is for.
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

    var elements = HeaderExtension()
    if first & 0x10 != 0 {
      guard bytes.byteCount - start >= 4 else { throw .headerExtension }
      let body = start + 4
      let end = body + 4 * Int(bytes.uint16(at: start + 2))
      guard end <= bytes.byteCount else { throw .headerExtension }
      elements = try HeaderExtension(
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
      ssrc: SSRC(rawValue: bytes.uint32(at: 8)), audioLevel: elements.audioLevel,
      lines: elements.lines, run: elements.run)
  }
}

/// What a datagram on the shared port is, by its first two octets.
public enum DatagramKind: Hashable, Sendable {
  /// An RTP packet.
  case rtp
  /// An RTCP compound.
  case rtcp
  /// Neither: STUN, DTLS or noise.
  case unknown

  /// Sorts by the first octet (RFC 7983 §7: 128...191 is RTP or RTCP) and the second (RFC 5761 §4:
  /// RTCP packet types 192...223 take the room of RTP payload types 64...95 with the marker bit).
  ///
  /// Any thread; allocates nothing, never traps. Says nothing about validity.
  public static func classify(_ bytes: RawSpan) -> DatagramKind {
    guard bytes.byteCount >= 2, (128...191).contains(bytes.octet(at: 0)) else { return .unknown }
    return (192...223).contains(bytes.octet(at: 1)) ? .rtcp : .rtp
  }
}

/// Why bytes from the network are not a valid RTP packet or RTCP compound.
///
/// Keep one counter per case, `rawValue` is its index from 0; what is thrown holds no bytes of the
/// sender.
public enum RTPParseError: Int, Error, CaseIterable, Sendable {
  /// RTP: the bytes end inside the fixed header or the list of contributing sources.
  case truncated
  /// The version field is not 2.
  case version
  /// Padding of length zero or longer than what it pads, or on another than the last RTCP packet.
  case padding
  /// RTP: the header extension or one of its elements ends after the packet or the extension.
  case headerExtension
  /// RTCP: the length words do not add up to the datagram.
  case compoundLength
  /// RTCP: the first packet of the compound is neither a sender nor a receiver report.
  case compoundStart
  /// RTCP: a report is too short for its sender information or its report blocks.
  case report
  /// RTCP: an SDES chunk or item ends after its packet, or a chunk has no end.
  case sourceDescription
  /// RTCP: a BYE is too short for its sources or its reason.
  case bye
  /// RTCP: a block of an extended report ends after its packet or has a wrong length.
  case extendedReport
  /// RTP: the blocks of a payload with copies end after the payload (RFC 2198).
  case redundancy
  /// RTCP: a feedback packet is too short or ends within an entry.
  case feedback
}
