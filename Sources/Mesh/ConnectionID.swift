/// A control connection, numbered by whoever opens it; never used twice.
public struct ConnectionID: Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Makes an ID of its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}
