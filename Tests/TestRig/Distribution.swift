/// Values in order, with the quantiles a figure needs.
public struct Distribution: Sendable {
  /// In rising order, without NaN.
  public let values: [Double]

  /// Sorts values; NaN is left out.
  public init(_ values: some Sequence<Double>) {
    self.values = values.filter { !$0.isNaN }.sorted()
  }

  /// The value at a quantile 0...1, interpolated; NaN of nothing.
  public func quantile(_ fraction: Double) -> Double {
    guard let last = values.indices.last else { return .nan }
    let position = fraction * Double(last)
    let low = Int(position)
    let high = min(low + 1, last)
    return values[low] + (values[high] - values[low]) * (position - Double(low))
  }

  /// The smallest value; NaN of nothing.
  public var minimum: Double { values.first ?? .nan }

  /// The middle value; NaN of nothing.
  public var median: Double { quantile(0.5) }

  /// The mean; NaN of nothing.
  public var mean: Double {
    values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count)
  }
}
