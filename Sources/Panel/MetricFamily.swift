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
