import Testing

@testable import Cryptography

@Suite struct GroupTests {
  private static func group(_ name: String) throws -> Group {
    try Group(
      name: name, secret: unsafe SecretBytes(copying: Array(0..<32 as Range<UInt8>).span.bytes))
  }

  @Test func `an invitation is the same for ever`() throws {
    #expect(
      try Self.group("Stage left").invitation
        == "comlink:group/Stage%20left/"
        + "aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypsloluri")
  }

  @Test(arguments: ["A", "FOH & friends", "Bühne/1", "100 %", "名前", "~._-"])
  func `who takes an invitation has the name and the secret`(name: String) throws {
    let group = try Group(name: name)
    let text = group.invitation
    #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    let taken = try Group(invitation: " \(text)\r\n")
    #expect(taken.name == name)
    #expect(taken.hasSameSecret(as: group))
    #expect(taken.words == group.words)
  }

  @Test func `two new groups of one name have different secrets`() throws {
    let (one, other) = (try Group(name: "crew"), try Group(name: "crew"))
    #expect(!one.hasSameSecret(as: other))
    #expect(one.words.count == Group.wordCount)
  }

  @Test func `the secret may be typed in capitals`() throws {
    let group = try Group(name: "crew")
    let taken = try Group(
      invitation: "COMLINK:GROUP/crew/"
        + group.invitation.dropFirst("comlink:group/crew/".count).uppercased())
    #expect(taken.hasSameSecret(as: group))
  }

  @Test func `every mistake in a character is told`() throws {
    let text = Array(try Self.group("crew").invitation.utf8)
    for index in text.indices {
      for replacement in "ab27qz/%é1".utf8 where !isSame(replacement, text[index]) {
        var mistyped = text
        mistyped[index] = replacement
        let typed = String(decoding: mistyped, as: UTF8.self)
        #expect(throws: CryptoError.self, "\(typed)") { _ = try Group(invitation: typed) }
      }
    }
  }

  @Test func `neighbours swapped and characters left out or doubled are told`()
    throws
  {
    let text = Array(try Self.group("crew").invitation.utf8)
    for index in text.indices {
      var (without, doubled, swapped) = (text, text, text)
      without.remove(at: index)
      doubled.insert(text[index], at: index)
      var wrong = [without, doubled]
      if index > 0, text[index] != text[index - 1] {
        swapped.swapAt(index, index - 1)
        wrong.append(swapped)
      }
      for octets in wrong {
        let typed = String(decoding: octets, as: UTF8.self)
        #expect(throws: CryptoError.self, "\(typed)") { _ = try Group(invitation: typed) }
      }
    }
  }

  @Test(
    arguments: [
      ("", "begin with comlink:group/"), ("http://example.org", "begin with comlink:group/"),
      ("comlink:group/crew", "one name and one secret"),
      ("comlink:group/a/b/c", "one name and one secret"),
      ("comlink:group/%4/aaaa", "% without two hexadecimal digits"),
      ("comlink:group/%FF/aaaa", "is not UTF-8"),
      ("comlink:group/crew/aaaa", "4 characters instead of 58"),
      ("comlink:group/crew/aa0a", "character 3 of its secret"),
      ("comlink:group/crew/" + String(repeating: "a", count: 57) + "b", "last character"),
      ("comlink:group/crew/" + String(repeating: "a", count: 58), "checksum"),
    ])
  func `the words tell what is wrong`(text: String, words: String) {
    let error = #expect(throws: CryptoError.self) { _ = try Group(invitation: text) }
    #expect(error.map { "\($0)".contains(words) } == true)
  }

  @Test(arguments: ["", " crew", "crew ", "a\nb", "a\u{202E}b", String(repeating: "x", count: 64)])
  func `a name that people cannot use is refused`(name: String) {
    #expect(throws: CryptoError.self) { _ = try Group(name: name) }
  }

  @Test func `however a group is printed, its secret is not`() throws {
    let group = try Group(name: "crew")
    let secret = String(group.invitation.suffix(Group.invitationSecretCharacters))
    var dumped = ""
    dump(group, to: &dumped)
    for text in ["\(group)", String(reflecting: group), "\([group])", dumped] {
      #expect(!text.contains(secret.prefix(8)))
      #expect(!text.contains("memory"))
    }
    #expect(dumped.contains("crew"))
  }

  private func isSame(_ one: UInt8, _ other: UInt8) -> Bool { one | 0x20 == other | 0x20 }
}
