import StatusSchema
import Testing

@testable import Panel

@Suite struct MetricsTextTests {
  private static func family(_ samples: [MetricFamily.Sample]) -> MetricFamily {
    MetricFamily(name: "comlink_x_total", kind: .counter, help: "What\\it\nis.", samples: samples)
  }

  @Test func `a family looks like this`() {
    let text = MetricsText.text([
      Self.family([
        MetricFamily.Sample(labels: [("peer", "a\"b\\c\nd"), ("id", "")], value: 3),
        MetricFamily.Sample(value: 0.25),
      ])
    ])
    #expect(
      text == #"""
        # HELP comlink_x_total What\\it\nis.
        # TYPE comlink_x_total counter
        comlink_x_total{peer="a\"b\\c\nd",id=""} 3
        comlink_x_total 0.25

        """#)
  }

  static let numbers: [(Double, String)] = [
    (0, "0"), (-120, "-120"), (1e-5, "1e-05"), (1e20, "1e+20"), (.nan, "NaN"),
    (.infinity, "+Inf"), (-.infinity, "-Inf"), (0.1, "0.1"), (1_234_567_890_123, "1234567890123"),
  ]

  @Test(arguments: numbers)
  func `numbers are as Prometheus reads them`(value: Double, text: String) {
    #expect(
      MetricsText.text([Self.family([MetricFamily.Sample(value: value)])])
        .hasSuffix("\ncomlink_x_total \(text)\n"))
  }

  @Test func `a family without samples is left out, and of two peers that look alike the second`() {
    #expect(MetricsText.text([Self.family([])]) == "")
    let twin = MetricFamily.Sample(labels: [("peer", "B")], value: 1)
    let text = MetricsText.text([Self.family([twin, twin])])
    #expect(text.split(separator: "\n").count == 3)
  }
}
