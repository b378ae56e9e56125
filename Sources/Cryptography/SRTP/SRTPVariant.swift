internal import CSodium

/// Which of a sender's keys a packet is made with, beside its epoch.
///
/// **Why there are several.** One codec frame goes out in up to six different packets, one for each recipe of copies among the
/// listeners, and all have one SSRC and one sequence number (RFC 2198 payloads that differ). AES-GCM's nonce is made of
/// just these (RFC 7714 §8.1). Two different packets under one key and one nonce would tell the XOR of both plaintexts,
/// and, worse, the authentication key, with which anybody can forge packets (NIST SP 800-38D §8.3, appendix A).
/// So each place in the list of recipes has a key of its own, derived from the sender's one session key, and the packet says
/// which by its master key identifier (RFC 3711 §3.1): octet 0 is the epoch, octet 1 the variant, then the roll-over counter.
///
/// Packets that are sent again (RFC 4588) have an SSRC and sequence numbers of their own, and control packets an index of
/// their own: they never share a nonce with the stream. They use ``first``.
///
/// Which place a recipe has may change from frame to frame, and a programming mistake may seal a frame twice. Therefore
/// none of this is believed: ``SRTPSender`` seals only numbers that are higher than all it sealed before under the same variant
/// and SSRC, and refuses all others.
public struct SRTPVariant: Hashable, Sendable {
  /// How many there are: six for recipes (`Station.mostRecipes` and the two without copies), two to spare.
  public static let limit = 8
  /// For packets sent again and all that goes out in one form only.
  public static let first = SRTPVariant(unchecked: 0)

  /// 0 and up, below ``limit``.
  public let index: Int

  /// The variant of a place in the list of recipes; nil beyond ``limit``.
  public init?(_ index: Int) {
    guard (0..<Self.limit).contains(index) else { return nil }
    self.index = index
  }

  init(unchecked index: Int) { self.index = index }

  /// The RFC 3711 master key and salt of this variant: the first 28 octets of HMAC-SHA-512, keyed with
  /// the session key and salt, of `comlink srtp variant 1`, a zero octet, the epoch and the variant.
  func masterKey(of key: borrowing SRTPSessionKey) throws(CryptoError) -> SecretBytes {
    let label =
      Array("comlink srtp variant 1".utf8) + [0, key.epoch, UInt8(truncatingIfNeeded: index)]
    var hash = key.withBytes { secret in
      unsafe Digest.hmacSHA512(label.span.bytes, key: secret)
    }
    defer { Sodium.zero(&hash) }
    return unsafe try SecretBytes(
      copying: hash.span.bytes.extracting(first: SRTPSessionKey.byteCount))
  }
}
