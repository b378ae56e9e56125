import Testing

@testable import Cryptography

@Suite struct NodeKeyTests {
  private static func key(_ seed: String) throws -> NodeKey {
    try NodeKey(seed: unsafe SecretBytes(copying: octets(seed).span.bytes))
  }

  /// RFC 8032 §7.1, tests 1 to 3.
  @Test(
    arguments: [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        """
        e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
        5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
        """
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """
      ),
      (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
        18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
        """
      ),
    ])
  func `keys and signatures are those of RFC 8032`(
    seed: String, publicKey: String, message: String, signature: String
  ) throws {
    let key = try Self.key(seed)
    #expect(key.publicKey.bytes == octets(publicKey))
    let message = octets(message)
    #expect(unsafe try key.signature(of: message.span.bytes) == octets(signature))
    #expect(unsafe key.publicKey.verifies(octets(signature), of: message.span.bytes))
  }

  @Test func `a signature is good for one message and one key only`() throws {
    let key = try NodeKey()
    let other = try NodeKey().publicKey
    let (message, changed) = (Array("talk".utf8), Array("tall".utf8))
    let signature = unsafe try key.signature(of: message.span.bytes)
    #expect(unsafe key.publicKey.verifies(signature, of: message.span.bytes))
    #expect(unsafe !key.publicKey.verifies(signature, of: changed.span.bytes))
    #expect(unsafe !other.verifies(signature, of: message.span.bytes))
    for index in signature.indices {
      var flipped = signature
      flipped[index] ^= 1
      #expect(unsafe !key.publicKey.verifies(flipped, of: message.span.bytes))
    }
    #expect(unsafe !key.publicKey.verifies([], of: message.span.bytes))
  }

  @Test func `the ID of a key never changes`() throws {
    let key = try Self.key("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    let expected = unsafe Digest.sha256(
      (Array("comlink node id 1".utf8) + [0] + key.publicKey.bytes).span.bytes)
    #expect(key.id.octets == expected)
    #expect(key.id.text == "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za")
    #expect(
      key.id.words.joined(separator: " ")
        == "mosaic border rainbow gymnast siesta napkin forest equator")
  }

  @Test func `two new keys differ, and one from a kept seed is the same again`() throws {
    let one = try NodeKey()
    #expect(try NodeKey().id != one.id)
    let again = try NodeKey(
      seed: one.withSeed { seed throws(CryptoError) in
        try SecretBytes(copying: seed)
      })
    #expect(again.id == one.id)
  }

  @Test(arguments: [1, 31, 33, 64])
  func `a seed or key of another length is refused`(byteCount: Int) {
    #expect(throws: CryptoError.self) { _ = try NodeKey(seed: SecretBytes(byteCount: byteCount)) }
    #expect(throws: CryptoError.self) { _ = try PublicKey([UInt8](repeating: 0, count: byteCount)) }
  }
}
