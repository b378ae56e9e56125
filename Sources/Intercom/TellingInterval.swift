/// How often something that happens again and again is worth a line of a log: of each subject once in an interval.
public struct TellingInterval<Subject: Hashable & Sendable>: Sendable {
  private let nanoseconds: Int64
  private var told: [Subject: Int64] = [:]

  /// An interval of so many seconds.
  public init(seconds: Int64) { nanoseconds = seconds * 1_000_000_000 }

  /// How long a subject is not to be told of; 0: it may be.
  public func wait(for subject: Subject, nowNanoseconds: Int64) -> Int64 {
    told[subject].map { max(0, $0 + nanoseconds - nowNanoseconds) } ?? 0
  }

  /// Whether a subject may be told of; then it counts as told.
  public mutating func tells(_ subject: Subject, nowNanoseconds: Int64) -> Bool {
    guard wait(for: subject, nowNanoseconds: nowNanoseconds) == 0 else { return false }
    told = told.filter { nowNanoseconds - $0.value < nanoseconds }
    told[subject] = nowNanoseconds
    return true
  }
}
