/// Makes text of the network's, or the user's, fit to be shown and sent.
enum DisplayText {
  /// Text without what cannot be seen (control and format characters, line ends) and without blanks around, cut to whole
  /// characters within a number of octets.
  static func clean(_ text: some StringProtocol, maximumBytes: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where isVisible(scalar) { scalars.append(scalar) }
    let visible = String(scalars)
    let trimmed = trim(visible[...])
    var count = 0
    let fitting = trimmed.prefix { character in
      count += character.utf8.count
      return count <= maximumBytes
    }
    return String(trim(fitting))
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
