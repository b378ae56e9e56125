import TestKit
import Testing

@testable import Assistant

@Suite struct SentenceSplitterTests {
  private static func sentences(_ text: String, inPartsOf count: Int = 3) -> [String] {
    var (splitter, sentences) = (SentenceSplitter(), [String]())
    var rest = Substring(text)
    while !rest.isEmpty {
      sentences += splitter.take(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return sentences + (splitter.finish().map { [$0] } ?? [])
  }

  @Test(arguments: [
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    (
      "It is 3.5 m, e.g. here. Dr. J. Smith knows.",
      ["It is 3.5 m, e.g. here.", "Dr. J. Smith knows."]
    ),
    ("He said \"Go.\" And went", ["He said \"Go.\"", "And went"]),
    ("1. First\n2. Second\n", ["1. First", "2. Second"]),
    ("# **Bold** `code`\n---\n\n", ["Bold code"]), ("  \n …  ", []),
  ])
  func `a text is cut where a speaker breathes`(text: String, sentences: [String]) {
    for count in [1, 3, 100] { #expect(Self.sentences(text, inPartsOf: count) == sentences) }
  }

  @Test func `what has no end is cut at a comma or a blank`() {
    let words = String(repeating: "word and word, and ", count: 60)
    let sentences = Self.sentences(words)
    #expect(sentences.allSatisfy { $0.count <= 222 })
    #expect(sentences.joined(separator: " ") == words.split(separator: " ").joined(separator: " "))
    #expect(Self.sentences(String(repeating: "x", count: 5000)).allSatisfy { $0.count <= 222 })
  }
}
