/// The key of one of the sender's media streams: a secret, which its description does not show.
public struct MediaKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Most octets of key material.
  public static let maximumBytes = 256
  /// Most streams of one node.
  public static let maximumStreams = 16

  /// Which of the sender's streams it is for, 0 ..< ``maximumStreams``.
  public var stream: Int
  /// Grows with every roll of that stream's key.
  public var epoch: UInt64
  /// Key and salt, opaque here.
  public var octets: [UInt8]

  /// Makes a key.
  public init(stream: Int, epoch: UInt64, octets: [UInt8]) {
    self.stream = stream
    self.epoch = epoch
    self.octets = octets
  }

  /// Which key it is, without the key.
  public var description: String { "MediaKey(stream: \(stream), epoch: \(epoch))" }
  /// The same.
  public var debugDescription: String { description }
  /// The same, so that `dump` shows no secret either.
  public var customMirror: Mirror {
    Mirror(self, children: ["stream": stream, "epoch": epoch])
  }
}
