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
