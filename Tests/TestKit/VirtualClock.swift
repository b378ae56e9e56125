/// Time that passes when a test says so.
public struct VirtualClock: Sendable {
  /// The present, in nanoseconds of no particular epoch.
  public private(set) var nowNanoseconds: Int64

  /// Starts at a moment.
  public init(nowNanoseconds: Int64 = 0) { self.nowNanoseconds = nowNanoseconds }

  /// Lets time pass up to a moment; it never goes back.
  public mutating func advance(to nanoseconds: Int64) {
    nowNanoseconds = max(nowNanoseconds, nanoseconds)
  }

  /// Lets time pass.
  public mutating func advance(byNanoseconds nanoseconds: Int64) { nowNanoseconds += nanoseconds }
}

extension Int64 {
  /// A span of virtual time, in nanoseconds.
  public static func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }
}
