/// Pieces of text for a table.
enum Cell {
  /// Text from outside with everything replaced that a terminal could take for a command.
  static func clean(_ text: String) -> String { cleaned(text, but: []) }

  /// The same of what people write: what joins letters and emoji, or keeps them apart, stays.
  ///
  /// Not for names, where it would make two that look alike.
  static func cleanProse(_ text: String) -> String { cleaned(text, but: ["\u{200C}", "\u{200D}"]) }

  private static func cleaned(_ text: String, but kept: Set<Unicode.Scalar>) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar -> Unicode.Scalar in
          if kept.contains(scalar) { return scalar }
          return switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            "?"
          default: scalar
          }
        }))
  }

  /// The text cut or filled with blanks to `width` characters.
  static func padded(_ text: String, width: Int, isLeft: Bool) -> String {
    let shown = String(text.prefix(width))
    let blanks = String(repeating: " ", count: width - shown.count)
    return isLeft ? shown + blanks : blanks + shown
  }

  /// A name from outside, filled with blanks to `width` (10 or more) characters; of a longer one the middle is left
  /// out, as the number that tells it from others of its name is at its end.
  static func name(_ text: String, width: Int) -> String {
    let shown = clean(text)
    guard shown.count > width else { return padded(shown, width: width, isLeft: true) }
    let end = shown.suffix(6)
    return shown.prefix(width - 1 - end.count) + "~" + end
  }

  /// A counter in at most `width` (4 or more) characters: 1234567 becomes `1234k` or `1M`.
  static func count(_ value: Int, width: Int) -> String {
    var (shown, rest) = (String(value), value)
    for unit in ["k", "M", "G", "T"] where shown.count > width {
      rest /= 1000
      shown = "\(rest)\(unit)"
    }
    return shown
  }

  /// A number of at most two digits, as two digits.
  static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

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
