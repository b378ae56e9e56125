/// How long a service that failed is left alone: longer each time, and at once again after it worked.
public struct RetryPace: Hashable, Sendable {
  private static let firstNanoseconds: Int64 = 1_000_000_000
  private static let mostNanoseconds: Int64 = 30_000_000_000

  private var failures = 0
  private var untilNanoseconds: Int64 = .min

  /// Nothing failed yet.
  public init() {}

  /// Whether it may be tried.
  public func isOpen(atNanoseconds now: Int64) -> Bool { now >= untilNanoseconds }

  /// When it may be tried again.
  public var deadlineNanoseconds: Int64 { untilNanoseconds }

  /// It failed.
  public mutating func noteFailure(atNanoseconds now: Int64) {
    let pause = min(Self.mostNanoseconds, Self.firstNanoseconds << Int64(min(failures, 5)))
    failures += 1
    untilNanoseconds = now + pause
  }

  /// It worked.
  public mutating func noteSuccess() { self = RetryPace() }
}
