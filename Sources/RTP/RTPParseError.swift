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
