import Testing

@testable import TestRig

struct FiguresTests {
  @Test(arguments: [
    (0.0, "0"), (6.0, "6"), (1_234_567.0, "1234567"), (4.2, "4.200"), (14.56, "14.56"),
    (123.456, "123.5"), (-0.004, "-0.004"), (0.0004, "0.000"), (9.9996, "10.000"),
  ])
  func `numbers are short and have no exponent`(value: Double, text: String) {
    #expect(Figures.text(value) == text)
  }

  @Test func `quantiles are interpolated`() {
    let distribution = Distribution([4, 1, .nan, 3, 2])
    #expect(distribution.minimum == 1)
    #expect(distribution.median == 2.5)
    #expect(distribution.mean == 2.5)
    #expect(distribution.quantile(1) == 4)
    #expect(abs(distribution.quantile(0.99) - 3.97) < 1e-12)
    #expect(Distribution([]).median.isNaN)
  }

  @Test func `what could not be measured has no value`() {
    let figures = Figures()
    figures.add("a.known", 1, "ms")
    figures.add("a.unknown", .nan, "ms")
    #expect(figures.value("a.known") == 1)
    #expect(figures.value("a.unknown") == nil)
    #expect(figures.all.map(\.name) == ["a.known", "a.unknown"])
  }
}
