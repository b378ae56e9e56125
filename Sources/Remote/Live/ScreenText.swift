/// Frames as what is written to a terminal that understands ECMA-48 (all of today do).
public struct ScreenText {
  /// Takes the other screen, hides the cursor, does not wrap long lines.
  public static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  /// Gives the terminal back as it was.
  public static let leave = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let isUnicode: Bool
  private let hasColours: Bool
  private var before: [[LiveFrame.Piece]]?

  /// A screen on which nothing is known to be.
  ///
  /// - Parameters:
  ///   - isUnicode: whether the terminal takes UTF-8; to one that does not, some of its octets would be commands.
  ///   - hasColours: whether to use them.
  public init(isUnicode: Bool, hasColours: Bool) {
    self.isUnicode = isUnicode
    self.hasColours = hasColours
  }

  /// From now on the screen may hold anything, as after a change of its size.
  public mutating func forget() { before = nil }

  /// What makes the screen show a frame: only rows that differ from the frame before, to be written at once, so that
  /// nothing flickers; empty where nothing differs.
  public mutating func text(of frame: LiveFrame) -> String {
    let old = before
    before = frame.rows
    var text = old == nil ? "\u{1B}[2J" : ""
    for index in 0..<max(frame.rows.count, old?.count ?? 0) {
      let row = index < frame.rows.count ? frame.rows[index] : []
      let oldRow = old.map { index < $0.count ? $0[index] : [] }
      guard row != oldRow else { continue }
      text += "\u{1B}[\(index + 1);1H\u{1B}[K" + row.map(self.text).joined()
    }
    // Terminals that know synchronized updates (mode 2026) show it all at once; others ignore that.
    return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\u{1B}[?2026l"
  }

  /// Each piece goes to its column by itself: a name that the terminal makes wider or narrower than we think shifts
  /// nothing.
  private func text(_ piece: LiveFrame.Piece) -> String {
    let move = "\u{1B}[\(piece.column + 1)G"
    let text = isUnicode ? piece.text : Self.ascii(piece.text)
    let code = hasColours ? Self.code(piece.style) : piece.style == .bold ? "1" : nil
    return move + (code.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text)
  }

  private static func ascii(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : "?" }))
  }

  private static func code(_ style: LiveFrame.Style) -> String? {
    switch style {
    case .plain: nil
    case .bold: "1"
    case .dim: "2"
    case .green: "32"
    case .yellow: "33"
    case .red: "31"
    }
  }
}

/// How many columns of a terminal a text takes.
///
/// By Unicode's East Asian Width (UAX #11: wide and full-width take two columns), combining marks taking none.
/// Terminals differ in what is newer than they are: whoever aligns columns moves the cursor rather than counts blanks.
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
