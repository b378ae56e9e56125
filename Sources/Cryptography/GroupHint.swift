/// A public hint at a group: holders of the secret recognise it, and others learn nothing from it.
///
/// The first 64 bits of HMAC-SHA-512 under the group's secret of `comlink group hint 1`, a zero octet, the salt and the
/// node's ID. The secret has 256 random bits, so there is nothing to guess; another node, or another salt, has another
/// hint, so hints do not tell which nodes belong together. A hint can be copied: it proves nothing.
public struct GroupHint: Hashable, Sendable {
  /// Random bits that a node chooses anew at each start.
  public struct Salt: Hashable, Sendable {
    let bits: UInt64

    /// A new one, of the system's random numbers.
    public init() { bits = .random(in: 0 ... .max) }

    /// One as ``text`` writes it; nil for anything else.
    public init?(text: some StringProtocol) {
      guard let bits = Base32.bits(text) else { return nil }
      self.bits = bits
    }

    /// ``GroupHint/characterCount`` letters and digits.
    public var text: String { Base32.text(bits) }
  }

  /// Characters of its text.
  public static let characterCount = Base32.characterCount(byteCount: 8)

  let bits: UInt64

  /// A hint as ``text`` writes it; nil for anything else.
  public init?(text: some StringProtocol) {
    guard let bits = Base32.bits(text) else { return nil }
    self.bits = bits
  }

  /// What a node tells about a group.
  public init(of group: Group, salt: Salt, node: NodeID) {
    let message =
      Array("comlink group hint 1".utf8) + [0] + Base32.octets(salt.bits) + node.octets
    let tag = group.withSecret { unsafe Digest.hmacSHA512(message.span.bytes, key: $0) }
    bits = tag.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// ``characterCount`` letters and digits (RFC 4648 §6, lower case, without padding).
  public var text: String { Base32.text(bits) }
}

extension Base32 {
  fileprivate static func octets(_ bits: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
  }

  fileprivate static func text(_ bits: UInt64) -> String { text(octets(bits)) }

  fileprivate static func bits(_ text: some StringProtocol) -> UInt64? {
    guard text.utf8.count == GroupHint.characterCount, let octets = bytes(text) else { return nil }
    return octets.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Valid names of groups.
public enum GroupName {
  /// The most octets of a name, in UTF-8.
  public static let byteLimit = 63

  /// Throws words about a name that will not do.
  public static func check(_ name: String) throws(CryptoError) {
    guard (1...byteLimit).contains(name.utf8.count) else {
      throw .groupName(reason: "it must have 1 to \(byteLimit) bytes")
    }
    guard name.first != " ", name.last != " " else {
      throw .groupName(reason: "it must not begin or end with a space")
    }
    let isPrintable = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
    guard isPrintable else { throw .groupName(reason: "it has invisible characters") }
  }
}
