import Testing

@testable import Cryptography

@Suite struct DigestTests {
  /// FIPS 180-4's example "abc" (NIST, Cryptographic Standards and Guidelines, Examples with Intermediate Values).
  @Test func `the hashes of abc are those of FIPS 180-4`() {
    let abc = Array("abc".utf8)
    #expect(
      unsafe Digest.sha256(abc.span.bytes)
        == octets("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      unsafe Digest.sha512(abc.span.bytes)
        == octets(
          """
          ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
          2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
          """))
  }

  /// RFC 4231 §4.2 and §4.7: a short key, and one longer than a block.
  @Test(
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 20), "Hi There",
        """
        87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde
        daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854
        """
      ),
      (
        [UInt8](repeating: 0xaa, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        """
        80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352
        6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
        """
      ),
    ])
  func `the keyed hashes are those of RFC 4231`(key: [UInt8], message: String, tag: String) {
    let message = Array(message.utf8)
    #expect(unsafe Digest.hmacSHA512(message.span.bytes, key: key.span.bytes) == octets(tag))
  }

  @Test func `a label and what follows cannot be shifted into each other`() {
    #expect(Digest.sha256(label: "ab", [1]) != Digest.sha256(label: "a", Array("b".utf8) + [1]))
  }
}
