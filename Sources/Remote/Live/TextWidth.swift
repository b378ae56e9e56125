/// How many columns of a terminal a text takes.
///
/// By Unicode's East Asian Width (UAX #11: wide and full-width take two columns), combining marks taking none. Terminals
/// differ in what is newer than they are: whoever aligns columns moves the cursor rather than counts blanks.
enum TextWidth {
  /// Marks on one character that are kept: enough for every language, too few to climb over other lines.
  private static let marksPerCharacter = 2

  /// What is two columns wide beside what is shown as emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x20000...0x3FFFD,
  ]
  /// Vowels and final consonants of Hangul, which join the consonant before them.
  private static let joining: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FF]

  /// The columns of a cleaned text.
  static func columns(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// As much of a text from outside as fits into so many columns, without what could command the terminal.
  static func fitted(_ text: String, columns limit: Int) -> String {
    var (shown, used, marks) = (String.UnicodeScalarView(), 0, 0)
    for scalar in Cell.clean(text).unicodeScalars {
      let width = columns(of: scalar)
      marks = width == 0 ? marks + 1 : 0
      guard marks <= marksPerCharacter else { continue }
      guard used + width <= limit else { break }
      used += width
      shown.append(scalar)
    }
    return String(shown)
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if joining.contains(where: { $0.contains(scalar.value) }) { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }
}
