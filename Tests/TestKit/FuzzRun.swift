import Glibc

/// How a fuzz test searches: from a fixed seed, the same each time, or from one by chance,
/// as far as it gets in a few seconds.
public struct FuzzRun: Sendable, CustomStringConvertible {
  private static let variable = "COMLINK_FUZZ_SEED"
  /// All parsers together: about a minute in the night, a quarter of that for a change.
  private static let seconds = Seeds.areAll ? 5.0 : 1.25

  /// What the generator starts from.
  public let seed: UInt64
  /// Whether it is always the same: then it is known what is found.
  public let isFixed: Bool

  /// Both ways; the seed by chance can be set by `COMLINK_FUZZ_SEED`, to do again what failed.
  public static func both(fixed seed: UInt64) -> [FuzzRun] {
    let wanted = unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
    return [
      FuzzRun(seed: seed, isFixed: true),
      FuzzRun(seed: wanted ?? .random(in: .min ... .max), isFixed: false),
    ]
  }

  /// What a failure prints.
  public var description: String {
    isFixed ? "fixed seed \(seed)" : "\(Self.variable)=\(seed)"
  }

  /// Calls `body` with the number of each round: as many as told from the fixed seed, else until the time is over.
  public func rounds(_ count: Int, _ body: (Int) -> Void) {
    guard !isFixed else {
      for round in 0..<count { body(round) }
      return
    }
    print("searching from \(self)")
    let end = ContinuousClock.now + .seconds(Seeds.areFew ? Self.seconds / 5 : Self.seconds)
    var round = 0
    while ContinuousClock.now < end {
      // The clock is looked at now and then.
      for _ in 0..<100 {
        body(round)
        round += 1
      }
    }
  }
}
