import Testing

@testable import Assistant

@Suite struct SessionDigestTests {
  private static let turns = [
    SessionTurn(.user, "Who is on line two?", unixMilliseconds: 1),
    SessionTurn(.assistant, "Anna and Bert.", unixMilliseconds: 2),
  ]

  @Test(arguments: [
    "Title: Line two\nSummary: Anna and Bert are on it.",
    "**Title:** \"Line two\"\n\n**Summary:** Anna and Bert\nare on it.",
    "title : Line two\nsummary: Anna and Bert are on it.",
  ])
  func `title and summary are found in whatever form`(answer: String) {
    #expect(
      SessionDigest(answer: answer, of: Self.turns)
        == SessionDigest(title: "Line two", summary: "Anna and Bert are on it."))
  }

  @Test func `what the model leaves out is what was asked first`() {
    #expect(
      SessionDigest(answer: "", of: Self.turns)
        == SessionDigest(title: "Who is on line two?", summary: ""))
    #expect(
      SessionDigest(answer: "It was about lines.", of: Self.turns)
        == SessionDigest(title: "Who is on line two?", summary: "It was about lines."))
    #expect(SessionDigest(answer: "Title: x", of: []) == nil)
  }

  @Test func `both have their bounds, and so has what the model is shown`() throws {
    let long = String(repeating: "word ", count: 10_000)
    let turns = Self.turns + [SessionTurn(.assistant, long, unixMilliseconds: 3)]
    let digest = try #require(
      SessionDigest(answer: "Title: \(long)\nSummary: \(long)", of: turns))
    #expect(digest.title.count <= 60 && digest.summary.count <= 1000)
    #expect(SessionDigest.query(Self.turns).messages.last?.text.contains("User: Who") == true)
    let shown = SessionDigest.query(
      (0..<1000).map { SessionTurn(.user, "turn \($0)", unixMilliseconds: 0) }
    ).messages.last?.text
    #expect((shown?.utf8.count ?? 0) < 10_000 && shown?.hasSuffix("turn 999") == true)
  }
}
