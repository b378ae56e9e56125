/// Another sender's key, its ciphers made: ready to be used by one ``SRTPReceiver``.
///
/// Making one costs hundreds of system calls and allocations, and is therefore not for the loop thread.
///
/// `@unchecked Sendable`: the ciphers are no `Sendable` class, but nobody else has them, and ``SRTPReceiver`` takes them over.
public struct SRTPReceivingKey: ~Copyable, @unchecked Sendable {
  let keys: SRTPKeySet

  /// Makes the ciphers of a key.
  public init(_ key: borrowing SRTPSessionKey) throws(CryptoError) {
    keys = try SRTPKeySet(key)
  }
}
