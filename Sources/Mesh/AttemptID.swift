/// One try to open a connection to one address; grows within an instance, never used twice.
public struct AttemptID: Hashable, Sendable {
  /// The number, above 0.
  public let rawValue: UInt64

  /// Makes an ID of its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}
