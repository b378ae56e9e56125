/// The stable name of a node: the fingerprint of its public key, held inline.
///
/// SHA-256 of the octets `comlink node id 1`, a zero octet and the 32 octets of the Ed25519 key (RFC 8032 §5.1.5). All
/// 256 bits are the name; whoever wants to be taken for another node has to find its private key or a second preimage.
public struct NodeID: Hashable, Sendable {
  /// Octets of an ID.
  public static let byteCount = 32
  /// Characters of its text.
  public static let characterCount = Base32.characterCount(byteCount: byteCount)
  /// How many words are shown: 8 bits each.
  ///
  /// 64 bits: a machine that makes 10⁹ keys a second would need some 500 years for a second node with the same words.
  public static let wordCount = 8

  /// Eight octets each, the first highest.
  let first, second, third, fourth: UInt64

  /// The first 64 bits, those of the words.
  public var firstBits: UInt64 { first }

  /// The ID of whoever holds the private key to this one.
  public init(of key: PublicKey) {
    self.init(validOctets: Digest.sha256(label: "comlink node id 1", key.bytes))
  }

  /// Takes the octets of a fingerprint; nil unless there are ``byteCount`` of them.
  public init?(octets: some Collection<UInt8>) {
    guard octets.count == Self.byteCount else { return nil }
    self.init(validOctets: octets)
  }

  /// The same of octets in memory; allocates nothing.
  public init?(octets: RawSpan) {
    guard octets.byteCount == Self.byteCount else { return nil }
    (first, second) = (octets.uint64(at: 0), octets.uint64(at: 8))
    (third, fourth) = (octets.uint64(at: 16), octets.uint64(at: 24))
  }

  /// An ID as `text` writes it, in upper or lower case; nil for anything else.
  public init?(text: some StringProtocol) {
    guard text.utf8.count == Self.characterCount, let octets = Base32.bytes(text) else {
      return nil
    }
    self.init(octets: octets)
  }

  private init(validOctets octets: some Collection<UInt8>) {
    var words: InlineArray<4, UInt64> = [0, 0, 0, 0]
    for (index, octet) in octets.enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(octet)
    }
    (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
  }

  /// The hash.
  public var octets: [UInt8] {
    [first, second, third, fourth].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
  }

  /// All of it: 52 letters and digits (RFC 4648 §6, lower case, without padding).
  public var text: String { Base32.text(octets) }

  /// Its first ``wordCount`` octets as words, for two people to compare.
  public var words: [String] { FingerprintWords.words(of: octets.prefix(Self.wordCount)) }
}

extension NodeID: Comparable {
  /// The order of the IDs as big-endian numbers: of two nodes the higher dials.
  public static func < (left: NodeID, right: NodeID) -> Bool {
    (left.first, left.second, left.third, left.fourth)
      < (right.first, right.second, right.third, right.fourth)
  }
}

extension NodeID: CustomStringConvertible {
  /// The same as `text`: an ID is public.
  public var description: String { text }
}
