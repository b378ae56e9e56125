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
