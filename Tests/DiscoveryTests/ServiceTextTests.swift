import Cryptography
import Testing

@testable import Discovery

/// TXT data strings, as they are sent.
func text(_ strings: [UInt8]...) -> [UInt8] { strings.flatMap { [UInt8($0.count)] + $0 } }
func text(_ strings: String...) -> [UInt8] {
  strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
}

/// The ID of a node, by a number.
func node(_ number: Int) -> NodeID {
  guard
    let id = NodeID(
      octets: (0..<32).map { UInt8(truncatingIfNeeded: $0 < 24 ? 7 : number >> (8 * (31 - $0))) })
  else { preconditionFailure("an ID of another length") }
  return id
}

/// A group, by a number.
func group(_ number: UInt8) throws -> Group {
  let octets = [UInt8](repeating: number, count: Group.secretByteCount)
  return try Group(name: "\(number)", secret: unsafe SecretBytes(copying: octets.span.bytes))
}

@Suite struct ServiceTextTests {
  private static let id = node(1).text

  @Test func `what is written is read`() throws {
    let service = ServiceDescription(
      node: node(3), name: "Bühne links", softwareVersion: "1.2.3", port: 5,
      groups: [try group(1), try group(2)])
    let written = ServiceText(service, salt: GroupHint.Salt())
    let read = try ServiceText(parsing: written.octets)
    #expect(read == written)
    #expect(read.sharesGroup(with: [try group(9), try group(2)]))
    #expect(!read.sharesGroup(with: [try group(9)]))
    #expect(!read.sharesGroup(with: []))
  }

  @Test func `the longest fits a packet, and names no group`() throws {
    let service = ServiceDescription(
      node: node(3), name: String(repeating: "x", count: 99),
      softwareVersion: String(repeating: "9", count: 99), port: 5,
      groups: try (0..<40).map { try group($0) })
    let octets = ServiceText(service, salt: GroupHint.Salt()).octets
    #expect(octets.count <= 416)
    let read = try ServiceText(parsing: octets)
    #expect(read.hints.count == ServiceText.maximumHints)
    #expect(read.name.utf8.count == 63)
    #expect(read.softwareVersion.utf8.count == 31)
  }

  @Test func `a hint that is copied to another node tells nothing`() throws {
    let service = ServiceDescription(
      node: node(3), name: "A", softwareVersion: "", port: 5, groups: [try group(1)])
    var copied = ServiceText(service, salt: GroupHint.Salt())
    copied.node = node(4)
    #expect(!copied.sharesGroup(with: [try group(1)]))
  }

  @Test func `the first of equal keys counts, unknown ones and those without a value do not`()
    throws
  {
    let read = try ServiceText(
      parsing: text(
        "x=1", "name", "=", "", "ID=\(Self.id.uppercased())", "id=2", "Name=A", "name=B"))
    #expect(read.node == node(1))
    #expect(read.name == "A")
    #expect(read.softwareVersion == "")
  }

  private static let names: [([UInt8], String)] = [
    (Array("\u{1B}[2Jevil\u{0}\r\n".utf8), "[2Jevil"),
    ([0xFF, 0x41, 0xC3], "\u{FFFD}A\u{FFFD}"),
    (Array("\u{202E}\u{200B}".utf8), String(id.prefix(6))),
    ([], String(id.prefix(6))),
    (Array(String(repeating: "ü", count: 99).utf8), String(repeating: "ü", count: 31)),
  ]

  @Test(arguments: names)
  func `a name is made fit to be shown`(octets: [UInt8], name: String) throws {
    let strings = text(Array("id=\(Self.id)".utf8), Array("name=".utf8) + octets)
    #expect(try ServiceText(parsing: strings).name == name)
  }

  private static let refusals: [([UInt8], ServiceText.Refusal)] = [
    ([], .nameless), (text("name=A"), .nameless), (text("id="), .nameless),
    (text("id=\(id)a"), .nameless), (text("id=\(id.dropLast())"), .nameless),
    (text("id=\(id.dropLast())1"), .nameless), (text("txtvers=2", "id=\(id)"), .version),
    ([5, 0x41], .malformed), (text("id=\(id)") + [255], .malformed),
    ([UInt8](repeating: 0, count: 1301), .oversized),
  ]

  @Test(arguments: refusals)
  func `what is not a node's is refused`(octets: [UInt8], refusal: ServiceText.Refusal) {
    #expect(throws: refusal) { try ServiceText(parsing: octets) }
  }

  @Test func `hints that are none are passed over, and no more than 16 read`() throws {
    let hint = String(repeating: "a", count: 13)
    let bad = String(repeating: "1", count: 13)
    let salt = "salt=\(hint)"
    let mixed = try ServiceText(parsing: text("id=\(Self.id)", salt, "g=\(bad)\(hint)aaa"))
    #expect(mixed.hints.count == 1)
    let many = String(repeating: hint, count: 19)
    let full = try ServiceText(parsing: text("id=\(Self.id)", salt, "g=\(many)"))
    #expect(full.hints.count == 16)
    let secondKey = try ServiceText(
      parsing: text("id=\(Self.id)", salt, "g=\(many)", "g=\(many)", "g=\(many)", "g=\(many)"))
    #expect(secondKey.hints.count == 16)
    #expect(
      try !ServiceText(parsing: text("id=\(Self.id)", "g=\(hint)")).sharesGroup(with: [group(1)]))
  }

  @Test(arguments: ["", "A", "Stage left", String(repeating: "ü", count: 80), "\u{0}"])
  func `the instance's name is a valid label, and tells nodes of one name apart`(name: String) {
    let made = InstanceName.make(name: name, node: node(1))
    #expect(made.utf8.count <= InstanceName.maximumBytes)
    #expect(made.hasSuffix("(\(node(1).text.prefix(6)))"))
    #expect(made == InstanceName.make(name: name, node: node(1)))
  }
}
