/// How much and how long one connection may take for a message.
public struct MessageLimits: Hashable, Sendable {
  /// Most octets of a message without its prefix.
  public var maximumBytes: Int
  /// From a message's first octet to its last.
  public var messageNanoseconds: Int64

  /// Makes limits.
  public init(maximumBytes: Int, messageNanoseconds: Int64) {
    self.maximumBytes = maximumBytes
    self.messageNanoseconds = messageNanoseconds
  }

  /// For somebody who is not a member: a hello fits many times.
  public static let stranger = MessageLimits(
    maximumBytes: 64 * 1024, messageNanoseconds: 5_000_000_000)

  /// For a member: 10 MiB, at 1 MiB a second.
  public static let member = MessageLimits(
    maximumBytes: 10 * 1024 * 1024, messageNanoseconds: 10_000_000_000)
}
