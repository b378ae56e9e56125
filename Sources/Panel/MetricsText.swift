/// Figures in the text format of Prometheus, version 0.0.4 (prometheus.io, "Exposition formats").
enum MetricsText {
  /// The families as text; those without samples are left out, and of samples with the same labels all but the first,
  /// as a scraper would refuse the whole.
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

/// All samples of one figure, as Prometheus has them.
struct MetricFamily: Sendable {
  /// What the values do over time.
  enum Kind: String, Sendable {
    /// Only grows, or starts again at 0.
    case counter
    /// Goes up and down.
    case gauge
  }

  /// One value, and of what it is.
  struct Sample: Sendable {
    /// Names and values; values may hold anything.
    var labels: [(name: String, value: String)] = []
    var value: Double
  }

  /// Lower case, with the unit at its end, `_total` after that of a counter.
  var name: String
  var kind: Kind
  /// One line on what it is.
  var help: String
  var samples: [Sample]
}

/// The figures as text, read at most once in a while, however many ask at the same time.
actor MetricsCache {
  private let freshness: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let read: @Sendable () async -> String?
  private var last: (text: String, time: ContinuousClock.Instant)?
  private var underWay: Task<String?, Never>?

  /// - Parameters:
  ///   - freshness: how old a text may be that is told again.
  ///   - now: the time; a test has its own.
  ///   - read: reads the figures; nil: there are none now.
  init(
    freshness: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    read: @escaping @Sendable () async -> String?
  ) {
    self.freshness = freshness
    self.now = now
    self.read = read
  }

  /// A text that is fresh; nil: there are no figures now.
  ///
  /// Whoever asks while one is being read waits for that one.
  func text() async -> String? {
    if let last, now() - last.time < freshness { return last.text }
    if let underWay { return await underWay.value }
    let task = Task { await read() }
    underWay = task
    let text = await task.value
    underWay = nil
    last = text.map { ($0, now()) }
    return text
  }
}
