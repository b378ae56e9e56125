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
