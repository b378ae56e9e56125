internal import CSodium

/// SHA-256 and SHA-512 (FIPS 180-4), and HMAC with them (RFC 2104).
///
/// Any thread.
public enum Digest {
  /// Octets of a SHA-256, and of its HMAC.
  public static let sha256ByteCount = Int(CSODIUM_SHA256_BYTES)
  /// Octets of a SHA-512, and of its HMAC.
  public static let sha512ByteCount = Int(CSODIUM_SHA512_BYTES)

  /// The SHA-256 of some octets.
  public static func sha256(_ bytes: RawSpan) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: sha256ByteCount) { hash, count in
        unsafe csodium_sha256(hash.baseAddress, bytes.baseAddress, bytes.count)
        count = sha256ByteCount
      }
    }
  }

  /// The SHA-256 of a label that no other use has, and some octets.
  ///
  /// - Parameter label: ends where the octets begin by a zero octet, so that no two uses can be taken for each other.
  static func sha256(label: String, _ bytes: [UInt8]) -> [UInt8] {
    unsafe sha256((Array(label.utf8) + [0] + bytes).span.bytes)
  }

  /// The SHA-512 of some octets.
  public static func sha512(_ bytes: RawSpan) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: sha512ByteCount) { hash, count in
        unsafe csodium_sha512(hash.baseAddress, bytes.baseAddress, bytes.count)
        count = sha512ByteCount
      }
    }
  }

  /// HMAC-SHA-256 of some octets.
  public static func hmacSHA256(_ bytes: RawSpan, key: RawSpan) -> [UInt8] {
    unsafe key.withUnsafeBytes { key in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe [UInt8](unsafeUninitializedCapacity: sha256ByteCount) { tag, count in
          unsafe csodium_hmac_sha256(
            tag.baseAddress, key.baseAddress, key.count, bytes.baseAddress, bytes.count)
          count = sha256ByteCount
        }
      }
    }
  }

  /// HMAC-SHA-512 of some octets.
  public static func hmacSHA512(_ bytes: RawSpan, key: RawSpan) -> [UInt8] {
    unsafe key.withUnsafeBytes { key in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe [UInt8](unsafeUninitializedCapacity: sha512ByteCount) { tag, count in
          unsafe csodium_hmac_sha512(
            tag.baseAddress, key.baseAddress, key.count, bytes.baseAddress, bytes.count)
          count = sha512ByteCount
        }
      }
    }
  }

  /// Octets as hexadecimal digits, in lower case.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
