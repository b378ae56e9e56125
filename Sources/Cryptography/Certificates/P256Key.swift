internal import COpenSSL
internal import CSodium

/// A key pair on P-256 (FIPS 186-5), for certificates that browsers take: they do not know Ed25519.
///
/// It is never random, but derived from a secret that is kept anyway: the same secret has the same key on each node and
/// at each start. Any thread.
public final class P256Key: Sendable {
  /// Octets of the public point.
  public static let publicByteCount = Int(COPENSSL_P256_POINT_BYTES)

  private let scalar: SecretBytes
  /// The public point, uncompressed (SEC 1 §2.3.3).
  public let publicKey: [UInt8]

  /// The key of a secret for a purpose.
  ///
  /// HKDF-Expand (RFC 5869 §2.3) with SHA-512 makes 64 octets of the secret and the purpose, the scalar is their number
  /// modulo n - 1, plus 1 (FIPS 186-5 A.2.1). So of one secret for one purpose nothing tells another's, nor the secret.
  ///
  /// - Parameters:
  ///   - secret: 32 random octets or more.
  ///   - purpose: a label that no other use has.
  public convenience init(of secret: RawSpan, for purpose: String) throws(CryptoError) {
    var wide = unsafe Digest.hmacSHA512((Array(purpose.utf8) + [1]).span.bytes, key: secret)
    defer { Sodium.zero(&wide) }
    var octets = [UInt8](repeating: 0, count: Int(COPENSSL_P256_SCALAR_BYTES))
    defer { Sodium.zero(&octets) }
    guard unsafe copenssl_p256_scalar(wide, &octets) == 0 else {
      throw .outOfMemory(bytes: octets.count)
    }
    try self.init(scalar: octets)
  }

  /// The key of a scalar, big-endian, 1 … n - 1.
  init(scalar octets: [UInt8]) throws(CryptoError) {
    var point = [UInt8](repeating: 0, count: Self.publicByteCount)
    guard octets.count == Int(COPENSSL_P256_SCALAR_BYTES),
      unsafe copenssl_p256_point(octets, &point) == 0
    else { throw .malformed(what: "scalar of a P-256 key", reason: "it is not from 1 to n - 1") }
    publicKey = point
    scalar = try unsafe SecretBytes(copying: octets.span.bytes)
  }

  /// Signs a message: ECDSA with SHA-256, as DER (RFC 3279 §2.2.3).
  ///
  /// The same message has the same signature (RFC 6979). Not for messages whose signing others can time.
  public func signature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let digest = unsafe Digest.sha256(message.span.bytes)
    var signature = [UInt8](repeating: 0, count: Int(COPENSSL_P256_SIGNATURE_BYTES))
    let count = scalar.withBytes { scalar in
      unsafe scalar.withUnsafeBytes { scalar in
        unsafe copenssl_p256_sign(
          scalar.bindMemory(to: UInt8.self).baseAddress, digest, &signature)
      }
    }
    guard count > 0 else { throw .outOfMemory(bytes: signature.count) }
    return Array(signature.prefix(Int(count)))
  }

  /// The private key for a TLS library: PKCS #8 (RFC 5208) around an `ECPrivateKey` (RFC 5915).
  ///
  /// It is the caller's to zero.
  public var privateKeyDER: [UInt8] {
    typealias DER = DERReader
    var octets = scalar.withBytes { scalar in unsafe scalar.withUnsafeBytes { unsafe Array($0) } }
    defer { Sodium.zero(&octets) }
    let inner = DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.integer, [1]),
      DER.element(DER.Tag.octetString, octets),
      DER.element(0xA1, DER.element(DER.Tag.bitString, [0], publicKey)))
    return DER.element(
      DER.Tag.sequence, DER.element(DER.Tag.integer, [0]), Self.algorithm,
      DER.element(DER.Tag.octetString, inner))
  }

  /// `SubjectPublicKeyInfo` (RFC 5480 §2).
  var publicKeyInfo: [UInt8] {
    DERReader.element(
      DERReader.Tag.sequence, Self.algorithm,
      DERReader.element(DERReader.Tag.bitString, [0], publicKey))
  }

  /// id-ecPublicKey on secp256r1 (RFC 5480 §2.1.1).
  private static let algorithm = DERReader.element(
    DERReader.Tag.sequence,
    DERReader.element(
      DERReader.Tag.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
    DERReader.element(
      DERReader.Tag.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))
}

/// What a key for browsers is derived for; the words are part of the derivation.
public enum PageKeyPurpose: String, Sendable {
  /// Of an authority: a group's, or that of a node without a group.
  case authority = "comlink page authority 1"
  /// Of a node's own certificate.
  case node = "comlink page node 1"
}

extension Group {
  /// The key of the crew's certificate authority: whoever has the secret has it.
  public func pageKey() throws(CryptoError) -> P256Key {
    try withSecret { secret throws(CryptoError) in
      try P256Key(of: secret, for: PageKeyPurpose.authority.rawValue)
    }
  }
}
