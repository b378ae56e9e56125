import Testing

@testable import Remote

@Suite struct ScreenTextTests {
  private static func frame(_ rows: [String]) -> LiveFrame {
    LiveFrame(rows: rows.map { $0.isEmpty ? [] : [.init(column: 0, text: $0, style: .green)] })
  }

  @Test func `the first picture clears the screen, the next writes only what differs`() {
    var screen = ScreenText(isUnicode: true, hasColours: true)
    let first = screen.text(of: Self.frame(["one", "two"]))
    #expect(first.contains("\u{1B}[2J") && first.contains("one") && first.contains("two"))
    let second = screen.text(of: Self.frame(["one", "2"]))
    #expect(
      second == "\u{1B}[?2026h\u{1B}[2;1H\u{1B}[K\u{1B}[1G\u{1B}[32m2\u{1B}[0m\u{1B}[?2026l")
    #expect(screen.text(of: Self.frame(["one", "2"])) == "")
  }

  @Test func `rows that are no more are cleared, and all is written when nothing is known`() {
    var screen = ScreenText(isUnicode: true, hasColours: true)
    _ = screen.text(of: Self.frame(["one", "two"]))
    #expect(screen.text(of: Self.frame(["one"])).contains("\u{1B}[2;1H\u{1B}[K\u{1B}["))
    screen.forget()
    #expect(screen.text(of: Self.frame(["one"])).contains("one"))
  }

  @Test func `to a terminal without UTF-8 nothing but ASCII is sent`() {
    var screen = ScreenText(isUnicode: false, hasColours: false)
    let text = screen.text(of: Self.frame(["Bühne █"]))
    #expect(text.utf8.allSatisfy { $0 < 128 })
    #expect(text.contains("B?hne ?"))
    #expect(!text.contains("[32m"))
  }
}
