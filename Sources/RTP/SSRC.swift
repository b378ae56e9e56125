/// A synchronisation source: the random name of one RTP stream (RFC 3550 §3, §8).
public struct SSRC: Hashable, Sendable {
  /// The identifier as it stands in the packet.
  public var rawValue: UInt32

  /// Makes the source identifier with this value on the wire.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
