import FoundationEssentials
import StatusSchema
import StatusSchema
import Testing

@testable import Remote

@Suite struct StatusTests {
  @Test func `the JSON of schema 1 does not change`() throws {
    #expect(try JSONLine.pretty(GoldenStatus.value) == GoldenStatus.json)
  }

  @Test func `what was written is read back`() throws {
    let bytes = try JSONLine.encode(GoldenStatus.value)
    #expect(!bytes.contains(UInt8(ascii: "\n")))
    #expect(try JSONLine.decode(Status.self, from: bytes) == GoldenStatus.value)
  }

  @Test func `fields of a later version are ignored and unknown states kept`() throws {
    let later = GoldenStatus.json
      .replacing("\"schema\" : 1", with: "\"schema\" : 1, \"weather\" : {\"sun\" : true}")
      .replacing("\"state\" : \"connected\"", with: "\"mood\" : 3, \"state\" : \"pairing\"")
    let status = try JSONLine.decode(Status.self, from: Array(later.utf8))
    #expect(status.peers[0].state.rawValue == "pairing")
    #expect(status.node == GoldenStatus.value.node)
  }

  @Test(arguments: [
    (Double.nan, -120.0), (-.infinity, -120), (.infinity, -120), (-130, -120), (3, 3),
  ])
  func `levels are numbers that JSON has`(level: Double, written: Double) {
    #expect(Level.finite(level) == written)
  }

  @Test func `a figure that JSON does not have is an error and not a trap`() {
    var status = GoldenStatus.value
    status.node.uptimeSeconds = .nan
    #expect(throws: RemoteError.self) { try JSONLine.encode(status) }
  }

  @Test func `every field of the JSON is described`() throws {
    let document = try Self.contents(ofSibling: "../../Sources/StatusSchema/STATUS.md")
    for line in GoldenStatus.json.split(separator: "\n") {
      guard let name = line.split(separator: "\"").dropFirst().first else { continue }
      if ["truncated", "unknownSource"].contains(name) { continue }
      #expect(
        document.contains(".\(name)`") || document.contains("`\(name)`")
          || document.contains("`\(name)."), "\(name)")
    }
  }

  private static func contents(ofSibling name: String) throws -> String {
    let directory = #filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex)
    return try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
  }
}
