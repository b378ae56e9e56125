import Testing

@testable import Remote

@Suite struct TextWidthTests {
  static let widths: [(String, Int)] = [
    ("", 0), ("abc", 3), ("Bühne", 5), ("u\u{308}", 1), ("ベータ", 6), ("ﾍﾞｰﾀ", 4), ("무대", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("🎤", 2), ("舞台A", 5), ("█▌│·", 4), ("１", 2),
  ]

  @Test(arguments: widths)
  func `a text takes as many columns as terminals give it`(text: String, columns: Int) {
    #expect(TextWidth.columns(of: text) == columns)
  }

  static let cuts: [(String, Int, String)] = [
    ("stage", 9, "stage"), ("stage", 3, "sta"), ("ベータ", 5, "ベー"), ("ベータ", 1, ""),
    ("e\u{301}e\u{301}", 1, "e\u{301}"), ("a\u{1B}[2Jb", 9, "a?[2Jb"),
    ("a\u{202E}b", 9, "a?b"), ("x" + String(repeating: "\u{308}", count: 40), 9, "x\u{308}\u{308}"),
  ]

  @Test(arguments: cuts)
  func `a name is cut to columns, and cannot command the terminal or climb out of its line`(
    text: String, columns: Int, shown: String
  ) {
    #expect(
      Array(TextWidth.fitted(text, columns: columns).unicodeScalars) == Array(shown.unicodeScalars))
  }
}
