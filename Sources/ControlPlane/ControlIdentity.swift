public import Cryptography

/// The key that a node is known by, wherever it is kept: the seed does not come here.
///
/// Any thread; a signature takes a tenth of a millisecond and must not wait for anything.
public protocol ControlIdentity: Sendable {
  /// The half that everybody may know.
  var publicKey: PublicKey { get }

  /// Signs a message by the other half (Ed25519, RFC 8032).
  func signature(of message: RawSpan) throws(CryptoError) -> [UInt8]
}
