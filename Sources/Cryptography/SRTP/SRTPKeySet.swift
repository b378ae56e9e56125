/// The ciphers of one session key: one for each variant's RTP, and one for RTCP; one sender or receiver has them alone.
final class SRTPKeySet {
  let epoch: UInt8
  let rtp: InlineArray<8, SRTPCipher>
  let rtcp: SRTPCipher

  /// Allocates: nine ciphers.
  init(_ key: borrowing SRTPSessionKey) throws(CryptoError) {
    epoch = key.epoch
    rtp = try InlineArray { index throws(CryptoError) in
      let master = try SRTPVariant(unchecked: index).masterKey(of: key)
      return try Self.cipher(master, .encryption, .salt)
    }
    precondition(rtp.count == SRTPVariant.limit)
    let master = try SRTPVariant.first.masterKey(of: key)
    rtcp = try Self.cipher(master, .controlEncryption, .controlSalt)
  }

  private static func cipher(
    _ master: borrowing SecretBytes, _ keyLabel: SRTPKeyDerivation.Label,
    _ saltLabel: SRTPKeyDerivation.Label
  ) throws(CryptoError) -> SRTPCipher {
    try master.withBytes { master throws(CryptoError) in
      let key = master.extracting(first: SRTPCipher.keyByteCount)
      let salt = master.extracting(droppingFirst: SRTPCipher.keyByteCount)
      let sessionKey = try SRTPKeyDerivation.derive(
        keyLabel, key: key, salt: salt, byteCount: SRTPCipher.keyByteCount)
      let sessionSalt = try SRTPKeyDerivation.derive(
        saltLabel, key: key, salt: salt, byteCount: SRTPCipher.saltByteCount)
      return try sessionKey.withBytes { key throws(CryptoError) in
        try sessionSalt.withBytes { salt throws(CryptoError) in
          try SRTPCipher(key: key, salt: salt)
        }
      }
    }
  }
}

/// Another sender's key, its ciphers made: ready to be used by one ``SRTPReceiver``.
///
/// Making one costs hundreds of system calls and allocations, and is therefore not for the loop thread.
///
/// `@unchecked Sendable`: the ciphers are no `Sendable` class, but nobody else has them,
/// and ``SRTPReceiver`` takes them over.
public struct SRTPReceivingKey: ~Copyable, @unchecked Sendable {
  let keys: SRTPKeySet

  /// Makes the ciphers of a key.
  public init(_ key: borrowing SRTPSessionKey) throws(CryptoError) {
    keys = try SRTPKeySet(key)
  }
}

/// A new key of a sender's own, its ciphers made: ready to be used by one ``SRTPSender``.
///
/// Making one costs hundreds of system calls and allocations, and is therefore not for the loop thread. It can be made
/// of nothing but fresh random numbers and cannot be copied:
/// whoever could seal twice from the same start would use nonces twice.
///
/// `@unchecked Sendable`: the ciphers are no `Sendable` class, but nobody else has them,
/// and ``SRTPSender`` takes them over.
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
