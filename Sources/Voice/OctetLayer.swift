/// A network's layer with weights of 8 bits, in memory as well: they are fetched anew each 10 ms, after all that the
/// processor did meanwhile.
///
/// Values are whole numbers of ``unit``, from -4 to 4, and sums are of 32 bits.
struct OctetLayer {
  static let unit: Float = 1 / 8192
  private static let lanes = 8
  /// The most values whose largest products still sum up within 32 bits.
  static let mostValues = Int(Int32.max) / (128 * 32_768)

  /// A row for each result, as long as ``count(for:)`` says.
  private let weights: [Int8]
  private let length: Int
  private let scale: Float

  /// - Parameters:
  ///   - columns: the weights, from -128 to 127, a row for each value.
  ///   - unit: what they count.
  init(_ columns: [Int16], values: Int, results: Int, unit: Float) {
    let length = Self.count(for: values)
    precondition(columns.count == values * results, "weights of another shape")
    precondition(length <= Self.mostValues, "more values than a sum of 32 bits holds")
    var weights = [Int8](repeating: 0, count: results * length)
    for (index, weight) in columns.enumerated() {
      weights[index % results * length + index / results] = Int8(weight)
    }
    (self.weights, self.length, scale) = (weights, length, unit * Self.unit)
  }

  /// How many whole numbers so many values are kept as; those that are more are 0.
  static func count(for values: Int) -> Int { (values + lanes - 1) / lanes * lanes }

  /// Values as whole numbers, cut towards 0; what is no number is the least.
  static func quantise(_ values: [Float], into whole: inout [Int16]) {
    for index in values.indices {
      whole[index] = Int16(min(32_767, max(-32_768, values[index] / unit)))
    }
  }

  /// Adds the values times their weights.
  func add(_ values: [Int16], to result: inout [Float]) {
    precondition(values.count == length && result.count * length == weights.count)
    unsafe weights.withUnsafeBytes { weights in
      unsafe values.withUnsafeBytes { values in
        guard let weights = weights.baseAddress, let values = values.baseAddress else { return }
        for row in result.indices {
          let sum = unsafe Self.sum(weights + row * length, values, length)
          result[row] += Float(sum) * scale
        }
      }
    }
  }

  @inline(__always)
  private static func sum(
    _ weights: UnsafeRawPointer, _ values: UnsafeRawPointer, _ count: Int
  ) -> Int32 {
    var sum = SIMD8<Int32>(repeating: 0)
    var place = 0
    while place < count {
      let weight = unsafe weights.loadUnaligned(fromByteOffset: place, as: SIMD8<Int8>.self)
      let value = unsafe values.loadUnaligned(fromByteOffset: 2 &* place, as: SIMD8<Int16>.self)
      // By way of 16 bits: processors multiply those as they are.
      let wide = SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int16>(truncatingIfNeeded: weight))
      sum &+= wide &* SIMD8<Int32>(truncatingIfNeeded: value)
      place &+= lanes
    }
    return sum.wrappedSum()
  }
}
