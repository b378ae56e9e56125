/// Numbers as text with a fixed number of decimals, for messages and tables.
enum Fixed {
  /// The number rounded to `digits` decimals (0…6); `-` for "not a number" or infinity.
  static func text(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value.magnitude * scale).rounded()
    guard scaled.isFinite, scaled < 1e15 else { return "-" }
    let whole = Int(scaled)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let fraction = String(whole % Int(scale))
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(sign)\(whole / Int(scale)).\(zeros)\(fraction)"
  }
}
