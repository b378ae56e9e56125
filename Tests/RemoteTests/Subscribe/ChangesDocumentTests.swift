import ControlSocket
import FoundationEssentials
import StatusSchema
import Testing

@testable import Remote

/// What STATUS.md says of the control socket and of changes.
@Suite struct ChangesDocumentTests {
  private let document: String

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    document = try String(
      contentsOfFile: "/\(root)/Sources/StatusSchema/STATUS.md", encoding: .utf8)
  }

  @Test func `each request has a row in the table`() {
    for kind in ControlRequest.Kind.allCases {
      #expect(document.contains("| `{\"request\":\"\(kind.rawValue)\""), "\(kind.rawValue)")
    }
  }

  @Test func `the example lines make the document that is shown`() throws {
    let blocks = document.split(separator: "```json\n").dropFirst()
      .map { $0.prefix { $0 != "`" }.split(separator: "\n") }
    let (lines, results) = (try #require(blocks.first), try #require(blocks.last))
    var node = JSONTree.object([:])
    for line in lines {
      let patch = try JSONLine.decode(JSONTree.self, from: Array(line.utf8))
      if patch["ok"] == nil { node.merge(patch) }
    }
    #expect(lines.count == 4)
    #expect(String(decoding: node.line, as: UTF8.self) == results.joined())
  }

  @Test func `the fields of the example are those of a document`() throws {
    let whole = try #require(NodePicture(GoldenStatus.value).patch(from: nil, levels: .named))
    let peer = whole["peers"]?[GoldenStatus.value.peers[0].id ?? ""]
    for field in ["name", "isTalking", "place"] { #expect(peer?[field] != nil, "\(field)") }
    for field in ["name", "talk", "micLevelDBFS"] {
      #expect(whole["node"]?[field] != nil, "\(field)")
    }
  }

  @Test func `the limits are those of the code`() {
    let limits = ControlLimits()
    let words = document.replacing("\n", with: " ")
    #expect(
      words.contains(
        "At most \(limits.clients) clients are served at a time, and \(limits.subscribers) subscribers"
      ))
    #expect(words.contains("**At once** \(limits.subscribers) can subscribe."))
  }
}
