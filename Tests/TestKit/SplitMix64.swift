/// A small seeded generator: the same seed gives the same test on every machine.
///
/// The finaliser's constants are those of Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators" (2014), figure 16.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts at a seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

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
