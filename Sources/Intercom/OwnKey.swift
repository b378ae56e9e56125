/// The key that this node's sound is protected with, or will be, for admitted members: a secret, which its description does not show.
public struct OwnKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Grows with each key.
  public let epoch: UInt64
  /// What a member makes a ``ReceivedKey`` of.
  public let octets: [UInt8]

  init(epoch: UInt64, ssrc: UInt32, secret: RawSpan) {
    self.epoch = epoch
    octets =
      [ReceivedKey.version] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
      + secret.byteOffsets.map {
        unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
      }
  }

  /// Which key it is, without the key.
  public var description: String { "OwnKey(epoch: \(epoch))" }
  /// The same.
  public var debugDescription: String { description }
  /// The same, so that `dump` shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["epoch": epoch]) }
}
