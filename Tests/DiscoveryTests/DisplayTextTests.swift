import Testing

@testable import Discovery

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("Stage left", "Stage left"), ("  a b  ", "a b"), ("a\u{0}b\u{7}\u{1B}[31m", "ab[31m"),
    ("a\r\nb\u{2028}c", "abc"), ("\u{202E}evil\u{200B}", "evil"), ("\u{FFFD}", "\u{FFFD}"),
    ("", ""),
    (" \u{1} ", ""), ("Bühne 🎤", "Bühne 🎤"),
  ])
  func `what cannot be seen is left out`(text: String, clean: String) {
    #expect(DisplayText.clean(text, maximumBytes: 63) == clean)
  }

  @Test func `text is cut between characters`() {
    #expect(DisplayText.clean("aé🎤b", maximumBytes: 6) == "aé")
    #expect(DisplayText.clean("aé🎤b", maximumBytes: 7) == "aé🎤")
    #expect(DisplayText.clean("ab cd", maximumBytes: 3) == "ab")
    let tower = "e" + String(repeating: "\u{301}", count: 100)
    #expect(DisplayText.clean(tower, maximumBytes: 63) == "")
  }
}
