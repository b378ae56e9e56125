/// How often something may be done: at once a number of times, then at a rate.
///
/// A pure value; all times are of one steady clock.
public struct TokenBucket: Sendable {
  private let burst: Double
  private let perSecond: Double
  private var tokens: Double
  private var filledAtNanoseconds: Int64?

  /// Makes a full bucket.
  public init(burst: Int, perSecond: Int) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    tokens = Double(burst)
  }

  /// Takes one, if there is one.
  public mutating func take(nowNanoseconds: Int64) -> Bool {
    let elapsed = Double(max(nowNanoseconds - (filledAtNanoseconds ?? nowNanoseconds), 0))
    tokens = min(burst, tokens + elapsed * perSecond / 1e9)
    filledAtNanoseconds = nowNanoseconds
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// How long until there is one again, from empty.
  public var periodNanoseconds: Int64 { Int64(1e9 / perSecond) }
}
