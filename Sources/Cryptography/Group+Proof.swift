internal import CSodium

/// How a node shows, to who is in the same group and to nobody else, that it is in it.
extension Group {
  /// Octets of a nonce.
  public static let nonceByteCount = 32
  /// Octets of a proof.
  public static let proofByteCount = 32

  /// The proof of one end of a connection to the other.
  ///
  /// The first ``proofByteCount`` octets of HMAC-SHA-512 (RFC 2104) under the secret of `comlink group proof 1`, a zero octet, both IDs
  /// and both nonces, all of 32 octets. Both IDs must be proved by the channel: then it is good for this pair, this direction and
  /// this connection alone, and can be neither replayed, nor sent back, nor passed on. Of the secret, and of the group,
  /// it tells nothing to who does not have the secret.
  public func proof(
    prover: NodeID, verifier: NodeID, proverNonce: [UInt8], verifierNonce: [UInt8]
  ) -> [UInt8] {
    precondition(
      proverNonce.count == Self.nonceByteCount && verifierNonce.count == Self.nonceByteCount)
    let input =
      Array("comlink group proof 1".utf8) + [0] + prover.octets + verifier.octets + proverNonce
      + verifierNonce
    let code = withSecret { secret in
      unsafe Digest.hmacSHA512(input.span.bytes, key: secret)
    }
    return Array(code.prefix(Self.proofByteCount))
  }

  /// Whether two proofs are the same, in a time that does not tell where they differ.
  public static func isSame(_ proof: [UInt8], _ expected: [UInt8]) -> Bool {
    guard proof.count == expected.count else { return false }
    return unsafe csodium_equal(proof, expected, proof.count) == 1
  }

  /// Octets for a nonce, of the system's random numbers.
  public static func nonce() throws(CryptoError) -> [UInt8] {
    let nonce = try SecretBytes(randomByteCount: nonceByteCount)
    return nonce.withBytes { nonce in unsafe nonce.withUnsafeBytes { unsafe Array($0) } }
  }
}
