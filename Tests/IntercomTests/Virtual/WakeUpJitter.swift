import TestKit

/// How late threads of real-time priority were woken on a virtual machine of two cores that compiled at the same time.
///
/// Recorded by sleeping until a moment every 2.5 ms 48 000 times; a straight line stands between two of the quantiles.
/// What was later than 2 ms, one wake-up in 2000 there, is left out: such stalls are those of `StallTests`.
final class WakeUpJitter {
  private static let quantiles: [(share: Double, microseconds: Double)] = [
    (0, 13), (0.1, 20), (0.25, 25), (0.5, 33), (0.75, 40), (0.9, 44), (0.95, 47), (0.98, 54),
    (0.99, 65), (0.995, 77), (0.998, 140), (0.999, 820), (0.9995, 1733), (1, 2000),
  ]

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Nanoseconds of the next.
  func next() -> Int64 {
    let share = random.unit()
    let upper = Self.quantiles.firstIndex { $0.share > share } ?? Self.quantiles.count - 1
    let (low, high) = (Self.quantiles[upper - 1], Self.quantiles[upper])
    let part = (share - low.share) / (high.share - low.share)
    return Int64(1000 * (low.microseconds + part * (high.microseconds - low.microseconds)))
  }
}
