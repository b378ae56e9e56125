import Testing

@testable import Intercom

@Suite struct PeerNameTests {
  @Test(arguments: [
    ("Stage", "Stage"), ("stage left", "stage left"), ("a:b", "a_b"), ("line\nbreak", "line_break"),
    ("", "unnamed"), ("\u{1B}[2J", "_[2J"), (":::", "unnamed"), ("gr\u{00FC}n", "gr\u{00FC}n"),
    ("\u{202E}evil", "_evil"),
  ])
  func `names from the network become harmless`(text: String, expected: String) {
    #expect(PeerName.sanitized(text) == expected)
  }

  @Test func `long names are cut at a character`() {
    let name = PeerName.sanitized(String(repeating: "\u{00FC}", count: 200))
    #expect(name.utf8.count <= PeerName.maximumByteCount)
    #expect(name.allSatisfy { $0 == "\u{00FC}" })
  }

  @Test func `a taken name gets the next number`() {
    #expect(PeerName.unique("A", among: []) == "A")
    #expect(PeerName.unique("A", among: ["A"]) == "A-2")
    #expect(PeerName.unique("A", among: ["A", "A-2"]) == "A-3")
  }
}
