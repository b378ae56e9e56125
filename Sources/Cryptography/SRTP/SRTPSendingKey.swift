/// A new key of a sender's own, its ciphers made: ready to be used by one ``SRTPSender``.
///
/// Making one costs hundreds of system calls and allocations, and is therefore not for the loop thread. It can be made of nothing but fresh
/// random numbers and cannot be copied: whoever could seal twice from the same start would use nonces twice.
///
/// `@unchecked Sendable`: the ciphers are no `Sendable` class, but nobody else has them, and ``SRTPSender`` takes them over.
public struct SRTPSendingKey: ~Copyable, @unchecked Sendable {
  let keys: SRTPKeySet
  /// What those need who are to hear the sender.
  public let secret: SRTPSessionKey

  /// A new one, of the system's random numbers.
  public init(epoch: UInt8) throws(CryptoError) {
    let secret = try SRTPSessionKey(epoch: epoch)
    keys = try SRTPKeySet(secret)
    self.secret = secret
  }
}
