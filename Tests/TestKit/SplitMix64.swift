import Media

/// The tests' seeded generator: Media's own, with distributions.
///
/// A failure prints its seed, and the seed gives the same run again.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var bits: SeededGenerator

  /// Starts at a seed.
  public init(seed: UInt64) { bits = SeededGenerator(seed: seed) }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 { bits.next() }

  /// Uniform in 0 ..< 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with the given probability, 0...1.
  public mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && unit() < probability
  }

  /// Normally distributed, mean 0, deviation 1: the sum of twelve uniform numbers, which never
  /// leaves -6...6.
  public mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}
