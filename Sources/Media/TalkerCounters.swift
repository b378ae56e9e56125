/// What a talker has sent so far.
public struct TalkerCounters: Hashable, Sendable {
  /// Packets made, keep-alives included.
  public internal(set) var packets = 0
  /// Payload bytes in them, headers not counted (RFC 3550 §6.4.1 counts so).
  public internal(set) var payloadOctets = 0
  /// Packets written again because a receiver asked for them.
  public internal(set) var resentPackets = 0
  /// Codec frames not sent because nobody talked.
  public internal(set) var suppressedFrames = 0
  /// Codec frames lost because the encoder refused them.
  public internal(set) var encoderErrors = 0
}
