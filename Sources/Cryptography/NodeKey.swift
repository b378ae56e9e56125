internal import CSodium

/// A node's identity: an Ed25519 key pair (RFC 8032 §5.1), of which the seed is the secret.
///
/// The private key is expanded for each signature and zeroed after it; at rest there is nothing but the seed.
public struct NodeKey: ~Copyable, Sendable {
  /// Octets of the seed.
  public static let seedByteCount = Int(CSODIUM_SEED_BYTES)

  private let seed: SecretBytes
  /// The half that everybody may know.
  public let publicKey: PublicKey
  /// Its fingerprint.
  public let id: NodeID

  /// A new one, of the system's random numbers.
  public init() throws(CryptoError) {
    try self.init(seed: SecretBytes(randomByteCount: Self.seedByteCount))
  }

  /// The one of a seed that was kept.
  public init(seed: consuming SecretBytes) throws(CryptoError) {
    guard seed.byteCount == Self.seedByteCount else {
      throw .malformed(
        what: "seed of a key", reason: "\(seed.byteCount) bytes instead of \(Self.seedByteCount)")
    }
    var code: Int32 = 0
    let key = seed.withBytes { seed in
      unsafe seed.withUnsafeBytes { seed in
        unsafe [UInt8](unsafeUninitializedCapacity: PublicKey.byteCount) { key, count in
          code = unsafe csodium_sign_public_key(key.baseAddress, seed.baseAddress)
          count = PublicKey.byteCount
        }
      }
    }
    guard code == 0 else { throw .outOfMemory(bytes: PublicKey.byteCount) }
    publicKey = try PublicKey(key)
    id = NodeID(of: publicKey)
    self.seed = seed
  }

  /// Signs a message.
  public borrowing func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
    var code: Int32 = 0
    let signature = seed.withBytes { seed in
      unsafe seed.withUnsafeBytes { seed in
        unsafe message.withUnsafeBytes { message in
          unsafe [UInt8](unsafeUninitializedCapacity: PublicKey.signatureByteCount) { out, count in
            code = unsafe csodium_sign(
              out.baseAddress, message.baseAddress, message.count, seed.baseAddress)
            count = PublicKey.signatureByteCount
          }
        }
      }
    }
    guard code == 0 else { throw .outOfMemory(bytes: PublicKey.signatureByteCount) }
    return signature
  }

  /// Lets `body` read the seed, to keep it in a safe place.
  public borrowing func withSeed<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try seed.withBytes(body)
  }
}
