/// Texts that let somebody in, and what is kept of them.
///
/// Of random bits as many as nobody guesses, so that a plain hash of one tells nothing of it.
public enum AccessToken {
  /// Octets of a digest.
  public static let digestByteCount = Digest.sha256ByteCount

  /// A new one of so many random octets of the system's, in letters and digits (RFC 4648 §6, lower case).
  ///
  /// - Parameter byteCount: 16 or more.
  public static func make(byteCount: Int) throws(CryptoError) -> String {
    precondition(byteCount >= 16)
    let octets = try SecretBytes(randomByteCount: byteCount)
    return Base32.text(
      octets.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } })
  }

  /// By which a text is known again, without the text: its SHA-256.
  public static func digest(of text: String) -> [UInt8] {
    Digest.sha256(label: "comlink access token 1", Array(text.utf8))
  }

  /// Whether two digests are the same, in a time that does not tell where they differ.
  public static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { Group.isSame(one, other) }
}
