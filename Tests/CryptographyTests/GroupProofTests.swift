import Cryptography
import Testing

@Suite struct GroupProofTests {
  private static func id(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: Array(repeating: octet, count: 32)))
  }

  private static func nonce(_ octet: UInt8) -> [UInt8] { Array(repeating: octet, count: 32) }

  private static func group() throws -> Group {
    try Group(
      name: "crew", secret: unsafe SecretBytes(copying: Array(0..<32 as Range<UInt8>).span.bytes))
  }

  @Test func `a proof is that of another implementation`() throws {
    // Python: hmac.new(bytes(range(32)), b"comlink group proof 1\0" + 11… + 22… + 33… + 44…, sha512)
    let proof = try Self.group().proof(
      prover: Self.id(0x11), verifier: Self.id(0x22), proverNonce: Self.nonce(0x33),
      verifierNonce: Self.nonce(0x44))
    #expect(
      proof
        == octets("573e403d85b1ca43178d3a4f0735cf7911c001a2fea9dd474167679a23811e57"))
  }

  @Test func `a proof is of no use in another group, connection, direction or pair`() throws {
    let (one, other) = (try Self.id(1), try Self.id(2))
    let group = try Self.group()
    let proof = group.proof(
      prover: one, verifier: other, proverNonce: Self.nonce(3), verifierNonce: Self.nonce(4))
    let others = [
      try Group(name: "crew").proof(
        prover: one, verifier: other, proverNonce: Self.nonce(3), verifierNonce: Self.nonce(4)),
      group.proof(
        prover: other, verifier: one, proverNonce: Self.nonce(4), verifierNonce: Self.nonce(3)),
      group.proof(
        prover: one, verifier: other, proverNonce: Self.nonce(3), verifierNonce: Self.nonce(5)),
      group.proof(
        prover: one, verifier: try Self.id(9), proverNonce: Self.nonce(3),
        verifierNonce: Self.nonce(4)),
    ]
    for wrong in others { #expect(!Group.isSame(proof, wrong)) }
    #expect(Group.isSame(proof, proof))
    #expect(!Group.isSame(proof, Array(proof.dropLast())))
  }

  @Test func `nonces differ`() throws {
    #expect(try Group.nonce().count == Group.nonceByteCount)
    #expect(try Group.nonce() != Group.nonce())
  }
}
