import Cryptography
import Testing

@testable import Intercom

@Suite struct NodeSearchTests {
  /// IDs that begin alike for so many octets.
  private static func node(_ octets: UInt8...) throws -> NodeID {
    let rest = [UInt8](repeating: 0, count: NodeID.byteCount - octets.count)
    return try #require(NodeID(octets: octets + rest))
  }

  private static func search(_ nodes: [(NodeID, String)]) -> NodeSearch {
    NodeSearch(candidates: nodes.map { NodeSearch.Candidate(node: $0.0, name: $0.1) })
  }

  @Test func `an ID or words that somebody took as a name still mean their owner`() throws {
    let (owner, thief) = (try Self.node(1, 2, 3, 4, 5), try Self.node(9))
    for name in [owner.text, owner.words.joined(separator: " ")] {
      #expect(try Self.search([(thief, name), (owner, "foh")]).index(of: name) == 1)
    }
  }

  @Test func `what may be one or the other is refused, with what to do`() throws {
    let search = Self.search([
      (try Self.node(1, 1, 1, 1, 1, 1), "Foh"), (try Self.node(1, 1, 1, 1, 1, 2), "FOH"),
    ])
    let alike = String(search.candidates[0].node?.text.prefix(8) ?? "")
    let words = (search.candidates[0].node?.words.prefix(3) ?? []).joined(separator: " ")
    for text in ["foh", alike, words] {
      let error = #expect(throws: IntercomError.self) { try search.index(of: text) }
      #expect("\(error!)".contains("give the words of the one you mean"), "\(text)")
    }
    #expect(try search.index(of: "FOH") == 1)
  }

  @Test func `a name that looks like the beginning of an ID is a name`() throws {
    let node = try Self.node(1, 2, 3, 4, 5)
    let search = Self.search([(node, "foh"), (try Self.node(7), String(node.text.prefix(8)))])
    #expect(try search.index(of: String(node.text.prefix(8))) == 1)
    #expect(try search.index(of: String(node.text.prefix(9))) == 0)
  }

  @Test func `who is not to be meant by name is meant by ID all the same`() throws {
    let node = try Self.node(1, 2, 3)
    let search = NodeSearch(
      candidates: [NodeSearch.Candidate(node: node, name: "foh", isNameable: false)])
    #expect(throws: IntercomError.self) { try search.index(of: "foh") }
    #expect(try search.index(of: node.words.joined(separator: " ")) == 0)
  }
}
