/// Packets that were thrown away, by reason.
public struct PacketDiscards: Hashable, Sendable {
  /// No valid Opus packet by its table of contents (RFC 6716 §3.4), an empty one included.
  public internal(set) var malformed = 0
  /// Payload above `PeerStream.maximumPayloadBytes`.
  public internal(set) var oversized = 0
  /// Of an unknown SSRC or far off in sequence or time, and not (yet) proven to be a new stream.
  public internal(set) var unproven = 0
  /// Too old to tell whether it is late or a copy.
  public internal(set) var tooOld = 0
  /// In time, but dropped to keep the delay below its bound.
  public internal(set) var skipped = 0
  /// Waiting when the stream was reset or restarted.
  public internal(set) var flushed = 0

  /// All of them.
  public var total: Int { malformed + oversized + unproven + tooOld + skipped + flushed }
}
