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

  /// Each piece goes to its column by itself: a name that the terminal makes wider or narrower than we think shifts nothing.
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
