/// The ciphers of one session key: one for each variant's RTP, and one for RTCP; one sender or receiver has them alone.
final class SRTPKeySet {
  private struct Stream {
    let ssrc: UInt32
    var window = ReplayWindow()
  }

  let epoch: UInt8
  let rtp: [SRTPCipher]
  let rtcp: SRTPCipher
  /// The control packets that came under this key: each key's numbers start at 0.
  var controlWindow = ReplayWindow()
  /// The RTP packets that came under this key, by SSRC.
  private var streams: [Stream] = []

  /// Allocates: nine ciphers, and room for the windows.
  init(_ key: borrowing SRTPSessionKey) throws(CryptoError) {
    epoch = key.epoch
    var rtp: [SRTPCipher] = []
    for index in 0..<SRTPVariant.limit {
      let master = try SRTPVariant(unchecked: index).masterKey(of: key)
      rtp.append(try Self.cipher(master, .encryption, .salt))
    }
    self.rtp = rtp
    let master = try SRTPVariant.first.masterKey(of: key)
    rtcp = try Self.cipher(master, .controlEncryption, .controlSalt)
    streams.reserveCapacity(SRTPSender.streamLimit)
  }

  /// What came of an SSRC; nil: it would be one more than a sender has.
  func window(of ssrc: UInt32) -> ReplayWindow? {
    if let place = place(of: ssrc) { return streams[place].window }
    return streams.count < SRTPSender.streamLimit ? ReplayWindow() : nil
  }

  /// Lets an index in that was authentic, and new by its SSRC's window.
  func accept(_ index: UInt64, ssrc: UInt32) {
    let place = place(of: ssrc) ?? streams.count
    if place == streams.count { streams.append(Stream(ssrc: ssrc)) }
    streams[place].window.accept(index)
  }

  private func place(of ssrc: UInt32) -> Int? { streams.firstIndex { $0.ssrc == ssrc } }

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
