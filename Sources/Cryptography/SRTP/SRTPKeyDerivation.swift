internal import COpenSSL

/// Session keys from master keys (RFC 3711 §4.3.1), without key derivation rate: AES-128 in counter mode over zeros.
///
/// The salt has 14 octets; the 12 of AES-GCM are filled up with two zeros at the end (RFC 7714 §11).
enum SRTPKeyDerivation {
  /// What a session key is for (RFC 3711 §4.3.1 and §4.3.2).
  enum Label: UInt8, Sendable {
    case encryption = 0
    case salt = 2
    case controlEncryption = 3
    case controlSalt = 5
  }

  private static let saltByteCount = 14

  /// - Parameters:
  ///   - key: 16 octets.
  ///   - salt: 14 octets at most.
  static func derive(
    _ label: Label, key: RawSpan, salt: RawSpan, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    precondition(key.byteCount == Int(COPENSSL_KEY_BYTES) && salt.byteCount <= saltByteCount)
    // label ‖ r (r = 0), 7 octets, lies at the low end of the salt; then 16 bits of counter.
    var counter = try SecretBytes(byteCount: 16)
    counter.withMutableBytes { counter in
      for index in salt.byteOffsets {
        counter.storeBytes(of: salt.octet(at: index), toByteOffset: index, as: UInt8.self)
      }
      let place = saltByteCount - 7
      let octet = place < salt.byteCount ? salt.octet(at: place) : 0
      counter.storeBytes(of: octet ^ label.rawValue, toByteOffset: place, as: UInt8.self)
    }
    var derived = try SecretBytes(byteCount: byteCount)
    let code = derived.withMutableBytes { derived in
      unsafe derived.withUnsafeMutableBytes { derived in
        counter.withBytes { counter in
          unsafe counter.withUnsafeBytes { counter in
            unsafe key.withUnsafeBytes { key in
              unsafe copenssl_key_stream(
                key.baseAddress, counter.baseAddress, derived.baseAddress, Int32(derived.count))
            }
          }
        }
      }
    }
    guard code == 0 else { throw .unavailable(what: "AES in libcrypto") }
    return derived
  }
}

/// The master key identifier at a packet's end: epoch, variant,
/// and the lower half of the roll-over counter (``SRTPSender``).
struct SRTPKeyIdentifier {
  let epoch: UInt8
  /// nil: one that no sender has.
  let variant: SRTPVariant?
  let rollOver: UInt16

  /// Of a datagram that is longer.
  init(_ datagram: RawSpan) {
    let word = datagram.uint32(at: datagram.byteCount - SRTPSender.masterKeyIdentifierByteCount)
    epoch = UInt8(word >> 24)
    variant = SRTPVariant(Int(word >> 16 & 0xFF))
    rollOver = UInt16(truncatingIfNeeded: word)
  }
}

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
