import Testing

@testable import Cryptography

@Suite struct NodeIDTests {
  @Test func `an ID is read back from its text in either case`() throws {
    let id = try NodeKey().id
    #expect(id.text.utf8.count == NodeID.characterCount)
    #expect(NodeID(text: id.text) == id)
    #expect(NodeID(text: id.text.uppercased()) == id)
    #expect("\(id)" == id.text)
  }

  @Test func `other texts are no ID`() throws {
    let text = try NodeKey().id.text
    for wrong in ["", String(text.dropLast()), text + "a", "1" + text.dropFirst(), " " + text] {
      #expect(NodeID(text: wrong) == nil, "\(wrong)")
    }
  }

  @Test func `words are of the first octets, and IDs are ordered as numbers`() throws {
    let low = try #require(NodeID(text: String(repeating: "a", count: 52)))
    let high = try #require(NodeID(text: "b" + String(repeating: "a", count: 51)))
    #expect(low.words == [String](repeating: "acorn", count: 8))
    #expect(high.words.first == "april" && high.words.dropFirst().allSatisfy { $0 == "acorn" })
    #expect(low < high && !(high < low) && !(low < low))
  }
}
