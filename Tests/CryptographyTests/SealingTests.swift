import Testing

@testable import Cryptography

@Suite struct SealingTests {
  @Test func `what is sealed to a key is opened by its holder alone`() throws {
    let key = try NodeKey()
    let other = try NodeKey()
    let message = Array("nobody else's business".utf8)
    let box = try key.publicKey.seal(message)
    #expect(box.count == message.count + PublicKey.boxExtraByteCount)
    let (opened, stolen) = (key.open(box), other.open(box))
    #expect(opened == message)
    #expect(stolen == nil)
    let next = try key.publicKey.seal(message)
    #expect(next != box, "no two boxes are alike")
    let nothing = key.open(try key.publicKey.seal([]))
    #expect(nothing == [])
    for index in box.indices {
      var changed = box
      changed[index] ^= 1
      let opened = key.open(changed)
      #expect(opened == nil)
    }
    for count in 0..<PublicKey.boxExtraByteCount {
      let opened = key.open(Array(box.prefix(count)))
      #expect(opened == nil)
    }
  }

  @Test func `nothing is sealed to what is no key`() throws {
    let nothing = try PublicKey([UInt8](repeating: 0, count: PublicKey.byteCount))
    #expect(throws: CryptoError.self) { try nothing.seal([1]) }
  }

  @Test func `what is sealed for a group is opened by its secret and in its context alone`() throws
  {
    let (group, other) = (try Group(name: "crew"), try Group(name: "crew"))
    let box = group.seal(Array("to all".utf8), context: [1, 2])
    #expect(group.open(box, context: [1, 2]) == Array("to all".utf8))
    #expect(group.open(box, context: [1, 3]) == nil)
    #expect(other.open(box, context: [1, 2]) == nil)
    #expect(group.open(Array(box.dropLast()), context: [1, 2]) == nil)
    #expect(group.open([], context: []) == nil)
    #expect(group.seal([], context: []) != group.seal([], context: []))
  }

  @Test func `tags name a group and its members to those who have the secret`() throws {
    let group = try Group(name: "crew")
    let same = try Group(invitation: group.invitation)
    let (one, two) = (try NodeKey().id, try NodeKey().id)
    #expect(group.tag == same.tag && group.tag.count == Group.tagByteCount)
    #expect(try Group(name: "crew").tag != group.tag)
    #expect(group.memberTag(of: one, to: two) == same.memberTag(of: one, to: two))
    #expect(group.memberTag(of: one, to: two) != group.memberTag(of: two, to: one))
  }
}
