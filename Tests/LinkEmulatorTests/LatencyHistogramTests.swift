import Testing

@testable import comlink_link

@Suite struct LatencyHistogramTests {
  @Test func `quantiles are right within a bucket`() {
    var histogram = LatencyHistogram()
    for value in Int64(1)...1000 { histogram.add(nanoseconds: value * 1000) }
    #expect(histogram.count == 1000)
    #expect(histogram.minimumNanoseconds == 1000)
    #expect((500_000...545_000).contains(histogram.quantile(0.5)))
    #expect((990_000...1_080_000).contains(histogram.quantile(0.99)))
  }

  @Test func `nothing is told of nothing, and extremes are no trap`() {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == 0)
    histogram.add(nanoseconds: -5)
    histogram.add(nanoseconds: .max)
    #expect(histogram.minimumNanoseconds == 0)
    #expect(histogram.quantile(0.5) <= 2)
  }
}
