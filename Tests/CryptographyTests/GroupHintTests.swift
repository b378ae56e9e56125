import Testing

@testable import Cryptography

@Suite struct GroupHintTests {
  private static func group(_ first: UInt8, name: String = "crew") throws -> Group {
    let octets = (0..<32).map { UInt8($0) &+ first }
    return try Group(name: name, secret: unsafe SecretBytes(copying: octets.span.bytes))
  }
  private static func node(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: 32)))
  }

  @Test func `a hint is the same for ever`() throws {
    // Computed by Python: hmac.new(bytes(range(32)), b"comlink group hint 1\0" + bytes(7) + b"\1" + b"\2" * 32,
    // "sha512")
    let salt = try #require(GroupHint.Salt(text: "aaaaaaaaaaaac"))
    let hint = GroupHint(of: try Self.group(0), salt: salt, node: try Self.node(2))
    #expect(hint.text == "hdmgdjhwru6ka")
  }

  @Test func `whoever has the secret makes the same hint, whatever the group is called`() throws {
    let (salt, node) = (GroupHint.Salt(), try Self.node(1))
    #expect(
      GroupHint(of: try Self.group(0), salt: salt, node: node)
        == GroupHint(of: try Self.group(0, name: "other"), salt: salt, node: node))
  }

  @Test func `another secret, salt or node has another hint`() throws {
    let (group, salt, node) = (try Self.group(0), GroupHint.Salt(), try Self.node(1))
    let hint = GroupHint(of: group, salt: salt, node: node)
    #expect(hint != GroupHint(of: try Self.group(1), salt: salt, node: node))
    #expect(hint != GroupHint(of: group, salt: GroupHint.Salt(), node: node))
    #expect(hint != GroupHint(of: group, salt: salt, node: try Self.node(2)))
  }

  @Test(arguments: ["", "a", "aaaaaaaaaaaaa1", "aaaaaaaaaaaa1", "aaaaaaaaaaaab", "aaaaaaaaaaaaé"])
  func `what is not the text of one is refused`(text: String) {
    #expect(GroupHint(text: text) == nil)
    #expect(GroupHint.Salt(text: text) == nil)
  }

  @Test func `texts come back`() throws {
    let salt = GroupHint.Salt()
    #expect(GroupHint.Salt(text: salt.text) == salt)
    let hint = GroupHint(of: try Self.group(0), salt: salt, node: try Self.node(1))
    #expect(GroupHint(text: hint.text) == hint)
    #expect(hint.text.utf8.count == GroupHint.characterCount)
  }
}
