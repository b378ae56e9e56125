/// The attempt to connect to an ``AcquaintanceStatus`` that is under way, or the next one.
public struct AttemptStatus: Codable, Hashable, Sendable {
  /// The first after a success is 1.
  public var number: Int
  /// Whether it has not begun yet.
  public var isAwaited: Bool
  /// Until it begins, or is given up.
  public var secondsLeft: Double
  /// The address that was tried last, the first is 1; absent before the first and once one has answered.
  public var address: Int?
  /// How many there are; absent with ``address``.
  public var addressCount: Int?

  /// Describes an attempt.
  public init(number: Int, isAwaited: Bool, secondsLeft: Double) {
    self.number = number
    self.isAwaited = isAwaited
    self.secondsLeft = secondsLeft
  }
}
