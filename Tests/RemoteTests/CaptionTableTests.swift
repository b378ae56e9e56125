import StatusSchema
import Testing

@testable import Remote

/// Captions for a terminal, whatever is in them.
@Suite struct CaptionTableTests {
  private func chunk(_ text: String, talker: String = "anna", isFinal: Bool = true) -> CaptionStatus
  {
    CaptionStatus(
      number: 1, session: "s", index: 0, talker: talker, talkerID: "", startSeconds: 65.2,
      seconds: 1, text: text, isFinal: isFinal)
  }

  @Test func `a chunk is a line, and says whether it stays`() {
    #expect(CaptionTable.text(chunk("Stand by.")) == "1:05  anna: Stand by.\n")
    #expect(CaptionTable.text(chunk("Stand", isFinal: false)) == "1:05  anna: Stand …\n")
    var named = chunk("Go.")
    named.role = "desk"
    #expect(CaptionTable.text(named) == "1:05  anna (desk): Go.\n")
  }

  @Test func `nothing in it commands the terminal, breaks the line or turns it around`() {
    let text = CaptionTable.text(
      chunk("a\u{1B}[2J\u{7}b\nc\u{202E}d\u{2066}e\u{200F}f", talker: "x\r\u{9B}31my"))
    #expect(text == "1:05  x??31my: a?[2J?b c?d?e?f\n")
    // Right-to-left letters are letters.
    #expect(CaptionTable.text(chunk("שלום")) == "1:05  anna: שלום\n")
  }

  @Test func `of what is long the end is shown while it may change, in one line`() {
    let long = (1...200).map { "word\($0)" }.joined(separator: " ")
    let shown = CaptionTable.partial(chunk(long, isFinal: false), columns: 60)
    #expect(shown.hasPrefix("1:05  anna: ") && shown.hasSuffix("word200 …"))
    #expect(TextWidth.columns(of: shown) <= 60)
    let wide = CaptionTable.partial(chunk(String(repeating: "字", count: 99)), columns: 40)
    #expect(TextWidth.columns(of: wide) <= 40)
    let narrow = CaptionTable.partial(
      chunk(long, talker: String(repeating: "n", count: 63)), columns: 20)
    #expect(TextWidth.columns(of: narrow) <= 20)
  }
}
