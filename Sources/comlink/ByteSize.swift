internal import ArgumentParser

/// A number of bytes as people write it: `500M`, `1.5G`.
struct ByteSize: ExpressibleByArgument, Equatable {
  private static let units: [Character: Double] = ["k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12]
  /// More than any disk has.
  private static let most = 1e18

  let bytes: Int

  init?(argument: String) {
    var number = argument[...]
    var unit = 1.0
    if let last = number.last, let known = Self.units[last == "K" ? "k" : last] {
      unit = known
      number = number.dropLast()
    }
    guard let value = Double(number), value >= 0, value * unit <= Self.most else { return nil }
    bytes = Int(value * unit)
  }
}
