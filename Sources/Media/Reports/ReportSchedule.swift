/// When to report next: the rule of RFC 3550 §6.2 and §6.3.1 for two members, with a fixed
/// reduced minimum interval.
///
/// Two participants use far less than the 5 % of bandwidth that §6.2 grants RTCP, so the computed
/// interval is always the minimum; the minimum is one second instead of five, as presence hangs
/// on it. Randomised by a quarter each way so that many sessions of one node do not fall in step.
/// Beside that a report is due at once at the start, and once per interval as an answer to
/// somebody new: a bound, so that forged newcomers cannot make us talk more than twice as much.
/// One may be early between two regular ones, where there is news that cannot wait (RFC 4585 §3.5.2).
/// An introduction (RFC 3550 §6.2 lets the first report be sooner, too) is four reports more, 0.1, 0.2, 0.4 and 0.8 s
/// apart: of two who are to hear each other each needs an echo, and a report that was lost, or came before its key,
/// costs a tenth of a second and not a whole one. For members only, whom an introduction makes talk five times as much
/// at most, until one of their addresses is connected.
struct ReportSchedule {
  private static let intervalNanoseconds: Int64 = 1_000_000_000
  private static let spreadNanoseconds: Int64 = 250_000_000

  private(set) var nextNanoseconds: Int64 = 0
  private var mayAnswer = true
  private var isAnswering = false
  private var (mayHurry, isHurrying) = (true, false)
  private static let introductionNanoseconds: Int64 = 100_000_000
  private static let introductionReports = 4
  private var introductionsLeft = 0
  private var introducedNanoseconds: Int64 = .min / 2
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

  /// Makes a report due now and begins an introduction, unless one began within an interval.
  mutating func introduce(nowNanoseconds: Int64) {
    guard nowNanoseconds - introducedNanoseconds >= Self.intervalNanoseconds else { return }
    introducedNanoseconds = nowNanoseconds
    introductionsLeft = Self.introductionReports
    nextNanoseconds = min(nextNanoseconds, nowNanoseconds)
  }

  /// Draws the time of the next report after one went out (or could not).
  mutating func didReport(nowNanoseconds: Int64) {
    mayAnswer = mayAnswer || !isAnswering
    isAnswering = false
    (mayHurry, isHurrying) = (!isHurrying, false)
    let spread = Int64.random(
      in: -Self.spreadNanoseconds...Self.spreadNanoseconds, using: &random)
    nextNanoseconds = nowNanoseconds + Self.intervalNanoseconds + spread
    guard introductionsLeft > 0 else { return }
    let wait = Self.introductionNanoseconds << (Self.introductionReports - introductionsLeft)
    introductionsLeft -= 1
    nextNanoseconds = nowNanoseconds + wait
  }
}

/// A small seeded generator: the same seed gives the same run on every machine.
///
/// SplitMix64; the constants are those of Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
/// (OOPSLA 2014), figure 16.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts at a seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
