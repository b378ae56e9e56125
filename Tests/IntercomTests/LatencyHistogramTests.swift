import Testing

@testable import Intercom

@Suite struct LatencyHistogramTests {
  @Test func `an empty histogram has no quantile`() {
    #expect(LatencyHistogram().quantile(0.5) == nil)
  }

  @Test(arguments: [0.01, 0.5, 0.9, 0.99])
  func `quantiles are within seven percent`(quantile: Double) throws {
    var histogram = LatencyHistogram()
    for microseconds in 1...1000 { histogram.add(nanoseconds: Int64(microseconds) * 1000) }
    let expected = quantile * 1_000_000
    let value = Double(try #require(histogram.quantile(quantile)))
    #expect(abs(value - expected) <= 0.07 * expected + 1000)
  }

  @Test(arguments: [Int64.min, -1, 0, 63, 1 << 40, .max])
  func `times outside the range are kept at its ends`(nanoseconds: Int64) {
    var histogram = LatencyHistogram()
    histogram.add(nanoseconds: nanoseconds)
    #expect(histogram.total == 1)
    #expect(histogram.quantile(0.5) != nil)
  }

  @Test func `ageing keeps the shape`() throws {
    var histogram = LatencyHistogram()
    for index in 0..<(1 << 20) { histogram.add(nanoseconds: index % 2 == 0 ? 10_000 : 90_000) }
    #expect(histogram.total < 1 << 20)
    let median = try #require(histogram.quantile(0.49))
    #expect((9_500...11_000).contains(median))
  }
}
