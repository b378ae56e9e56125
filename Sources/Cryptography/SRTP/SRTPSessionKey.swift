/// A sender's key for one session or part of it, as it is handed to admitted members over the control connection.
///
/// Only ``SRTPSendingKey`` makes new ones, and no sender can be made from one: whoever could seal twice from the same
/// start would use nonces twice.
public struct SRTPSessionKey: ~Copyable, Sendable {
  /// Octets of the secret: 16 of key and 12 of salt (RFC 7714 §12).
  public static let byteCount = SRTPCipher.keyByteCount + SRTPCipher.saltByteCount

  /// Tells a sender's keys apart; one more for each, from 255 on again 0.
  public let epoch: UInt8
  private let secret: SecretBytes

  /// One that came from its sender.
  public init(epoch: UInt8, secret: consuming SecretBytes) throws(CryptoError) {
    guard secret.byteCount == Self.byteCount else {
      throw .malformed(
        what: "session key", reason: "\(secret.byteCount) bytes instead of \(Self.byteCount)")
    }
    self.epoch = epoch
    self.secret = secret
  }

  /// A new one, of the system's random numbers.
  init(epoch: UInt8) throws(CryptoError) {
    self.epoch = epoch
    secret = try SecretBytes(randomByteCount: Self.byteCount)
  }

  /// Lets `body` read the secret, to send it to a member.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withBytes(body)
  }

  /// A second owner of the same key.
  borrowing func copy() throws(CryptoError) -> SRTPSessionKey {
    try SRTPSessionKey(epoch: epoch, secret: secret.copy())
  }
}
