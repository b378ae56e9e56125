/// Figures in the text format of Prometheus, version 0.0.4 (prometheus.io, "Exposition formats").
enum MetricsText {
  /// The families as text; those without samples are left out, and of samples with the same labels all but the first, as a scraper would refuse the whole.
  static func text(_ families: [MetricFamily]) -> String {
    families.filter { !$0.samples.isEmpty }.map(text).joined()
  }

  private static func text(_ family: MetricFamily) -> String {
    var text = "# HELP \(family.name) \(escaped(family.help))\n"
    text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
    var seen: Set<String> = []
    for sample in family.samples {
      let series = family.name + labels(sample.labels)
      guard seen.insert(series).inserted else { continue }
      text += "\(series) \(number(sample.value))\n"
    }
    return text
  }

  private static func labels(_ labels: [(name: String, value: String)]) -> String {
    guard !labels.isEmpty else { return "" }
    let pairs = labels.map { "\($0.name)=\"\(escaped($0.value).replacing("\"", with: "\\\""))\"" }
    return "{\(pairs.joined(separator: ","))}"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  /// As Go's ParseFloat reads it.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    guard value == value.rounded(), value.magnitude < 1e15 else { return "\(value)" }
    return "\(Int(value))"
  }
}
