/// When to report next: the rule of RFC 3550 §6.2 and §6.3.1 for two members, with a fixed
/// reduced minimum interval.
///
/// Two participants use far less than the 5 % of bandwidth that §6.2 grants RTCP, so the computed
/// interval is always the minimum; the minimum is one second instead of five, as presence hangs
/// on it. Randomised by a quarter each way so that many sessions of one node do not fall in step.
/// Beside that a report is due at once at the start, and once per interval as an answer to
/// somebody new: a bound, so that forged newcomers cannot make us talk more than twice as much.
/// And one may be early between two regular ones, where there is news that cannot wait (RFC 4585 §3.5.2).
struct ReportSchedule {
  private static let intervalNanoseconds: Int64 = 1_000_000_000
  private static let spreadNanoseconds: Int64 = 250_000_000

  private(set) var nextNanoseconds: Int64 = 0
  private var mayAnswer = true
  private var isAnswering = false
  private var (mayHurry, isHurrying) = (true, false)
  private var random: SeededGenerator

  init(random: SeededGenerator) {
    self.random = random
  }

  /// Makes a report due now where the bound allows it, or always when the other is `proven`.
  mutating func answer(nowNanoseconds: Int64, isProven: Bool) {
    guard nextNanoseconds > nowNanoseconds, mayAnswer || isProven else { return }
    mayAnswer = false
    isAnswering = true
    nextNanoseconds = nowNanoseconds
  }

  /// Makes a report due now, unless the last one was early.
  mutating func hurry(nowNanoseconds: Int64) {
    guard nextNanoseconds > nowNanoseconds, mayHurry else { return }
    isHurrying = true
    nextNanoseconds = nowNanoseconds
  }

  /// A report went out (or could not): draws the moment of the next.
  mutating func didReport(nowNanoseconds: Int64) {
    mayAnswer = mayAnswer || !isAnswering
    isAnswering = false
    (mayHurry, isHurrying) = (!isHurrying, false)
    let spread = Int64.random(
      in: -Self.spreadNanoseconds...Self.spreadNanoseconds, using: &random)
    nextNanoseconds = nowNanoseconds + Self.intervalNanoseconds + spread
  }
}
