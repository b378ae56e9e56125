internal import CSodium

/// A node's public key: Ed25519 (RFC 8032 §5.1).
public struct PublicKey: Hashable, Sendable {
  /// Octets of a key.
  public static let byteCount = Int(CSODIUM_PUBLIC_KEY_BYTES)
  /// Octets of a signature.
  public static let signatureByteCount = Int(CSODIUM_SIGNATURE_BYTES)

  /// The key as RFC 8032 §5.1.5 encodes it.
  public let bytes: [UInt8]

  /// Takes 32 octets from outside; whether they are a point of the curve shows when a signature is checked.
  public init(_ bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == Self.byteCount else {
      throw .malformed(
        what: "public key", reason: "\(bytes.count) bytes instead of \(Self.byteCount)")
    }
    self.bytes = bytes
  }

  /// Whether a signature of a message is this key's.
  ///
  /// Any octets will do for either: what is no signature is none of this key's.
  public func verifies(_ signature: [UInt8], of message: RawSpan) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    return unsafe message.withUnsafeBytes { message in
      unsafe csodium_verify(signature, message.baseAddress, message.count, bytes) == 0
    }
  }
}
