import Testing

@testable import Voice

/// A layer of small weights against the same sums of plain numbers.
@Suite struct OctetLayerTests {
  private func added(_ columns: [Int16], unit: Float, values: [Float], to start: Float) -> [Float] {
    let results = columns.count / values.count
    let layer = OctetLayer(columns, values: values.count, results: results, unit: unit)
    var whole = [Int16](repeating: 0, count: OctetLayer.count(for: values.count))
    OctetLayer.quantise(values, into: &whole)
    var result = [Float](repeating: start, count: results)
    layer.add(whole, to: &result)
    return result
  }

  @Test(arguments: [1, 8, 19, 161])
  func `it adds values times their weights, however many there are`(count: Int) {
    let results = 5
    let columns = (0..<count * results).map { Int16($0 * 37 % 255 - 127) }
    let values = (0..<count).map { Float($0 * 29 % 64 - 32) / 8 * 0.99 }
    let heard = added(columns, unit: 0.01, values: values, to: 2)
    for row in 0..<results {
      let sum = values.indices.reduce(Float(2)) {
        $0 + 0.01 * Float(columns[$1 * results + row]) * values[$1]
      }
      // Each value is at most a whole number's unit off.
      #expect(abs(heard[row] - sum) < 0.01 * 127 * OctetLayer.unit * Float(count) + 1e-3)
    }
  }

  @Test func `the largest sums fit, and what is beyond is the largest`() {
    let count = OctetLayer.mostValues / 8 * 8
    let columns = [Int16](repeating: -128, count: count)
    let values = [Float](repeating: -9, count: count)
    #expect(added(columns, unit: 1, values: values, to: 0) == [Float(128 * 4 * count)])
    let upper = added(columns, unit: 1, values: values.map { -$0 }, to: 0)
    #expect(abs(upper[0] + Float(128 * 4 * count)) < 16)
  }

  @Test func `what is no number is the least`() {
    let columns = [Int16](repeating: -128, count: 161)
    let values = [Float](repeating: .nan, count: 161)
    #expect(added(columns, unit: 1, values: values, to: 0) == [Float(128 * 4 * 161)])
  }
}
