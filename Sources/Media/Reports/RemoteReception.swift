/// How the remote receives our stream, by its last report block on us (RFC 3550 §6.4.1).
///
/// The remote's word: bounded by its field widths, otherwise unproved.
public struct RemoteReception: Hashable, Sendable {
  /// Share of our packets lost between its last two reports, in 1/256.
  public let fractionLost: UInt8
  /// Our packets lost since its reception began; negative when duplicates outnumber losses.
  public let cumulativeLost: Int
  /// Interarrival jitter.
  public let jitterNanoseconds: Int64
}
