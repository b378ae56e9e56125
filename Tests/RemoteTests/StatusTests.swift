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

  @Test func `STATUS.md has each field of the JSON, and no other`() throws {
    let document = try Self.contents(ofSibling: "../../Sources/StatusSchema/STATUS.md")
    #expect(
      document.contains("`schema` is the version of the layout, now **\(Status.currentSchema)**"))
    #expect(document.contains("`schemaMinor`, now **\(Status.currentMinor)**"))
    let table = document.split(separator: "**Drops.**")[0]
    let documented = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    #expect(Set(documented).count == documented.count)
    let golden = try JSONLine.decode(JSONShape.self, from: Array(GoldenStatus.json.utf8))
    // Counts by reason and the like are told as a whole.
    let whole: Set = [
      "network.drops", "audio.underruns", "node.loopBack", "messages.refused",
      "messages.aloud.dropped",
      "node.voice.settings", "node.ear", "buses[].peersDecibels",
    ]
    let fields = Set(
      golden.paths.map { path in whole.first { path.hasPrefix("\($0).") } ?? path })
    // Objects have rows of their own; the recording here is over.
    let others: Set = [
      "recording", "control", "peers", "messages", "messages.recording",
      "messages.playing", "recording.secondsLeft", "lines", "keys",
      "inputs", "buses", "peers[].streams", "calls", "calls.incoming[]", "calls.outgoing[]",
      "assistant", "guests", "peers[].guests", "operators", "captions", "messages.mirror",
      "messages.aloud",
    ]
    #expect(fields.union(others).symmetricDifference(documented).isEmpty)
  }

  private static func contents(ofSibling name: String) throws -> String {
    let directory = #filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex)
    return try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
  }
}

/// Where in a JSON value something stands: `peers[].name`.
private enum JSONShape: Decodable {
  case object([String: JSONShape])
  case array([JSONShape])
  case value

  init(from decoder: any Decoder) throws {
    if let fields = try? decoder.singleValueContainer().decode([String: JSONShape].self) {
      self = .object(fields)
    } else if let elements = try? decoder.singleValueContainer().decode([JSONShape].self) {
      self = .array(elements)
    } else {
      self = .value
    }
  }

  var paths: Set<String> {
    switch self {
    case .object(let fields):
      Set(
        fields.flatMap { name, shape in
          shape.paths.map { $0.isEmpty || $0.hasPrefix("[") ? name + $0 : "\(name).\($0)" }
        })
    case .array(let elements):
      Set(elements.flatMap(\.paths).map { $0.isEmpty ? "[]" : "[].\($0)" })
    case .value: [""]
    }
  }
}
