public import RTP

/// What a sender report needs to know of our stream, counted over what was sent to this remote.
public struct SenderCounters: Hashable, Sendable {
  /// RTP packets sent since the stream began.
  public var packets: Int
  /// Octets of their payloads.
  public var payloadOctets: Int
  /// The stream's media time at the moment the report is made.
  public var currentTimestamp: RTPTimestamp

  /// Makes the counters from their values.
  public init(packets: Int, payloadOctets: Int, currentTimestamp: RTPTimestamp) {
    self.packets = packets
    self.payloadOctets = payloadOctets
    self.currentTimestamp = currentTimestamp
  }
}
