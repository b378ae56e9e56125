internal import CSodium

/// A group: a name, and the secret whose holders admit each other automatically.
///
/// Shared by reference, so that the secret lies in one place only. Printing it, in whatever way, shows the name alone.
public final class Group: Sendable {
  /// Octets of a secret.
  public static let secretByteCount = 32
  /// How many words are shown of it: 8 bits each.
  ///
  /// Their 32 bits are good against mistakes, not against attackers: who makes secrets by the billion finds one with
  /// the same words.
  public static let wordCount = 4

  /// What people call it.
  public let name: String
  private let secret: SecretBytes

  /// Makes a new one, of the system's random numbers.
  public convenience init(name: String) throws(CryptoError) {
    try self.init(name: name, secret: SecretBytes(randomByteCount: Self.secretByteCount))
  }

  /// The one of a secret that was kept.
  public init(name: String, secret: consuming SecretBytes) throws(CryptoError) {
    try GroupName.check(name)
    guard secret.byteCount == Self.secretByteCount else {
      throw .malformed(
        what: "secret of a group",
        reason: "\(secret.byteCount) bytes instead of \(Self.secretByteCount)")
    }
    self.name = name
    self.secret = secret
  }

  /// Words for people to compare their secrets.
  ///
  /// The first ``wordCount`` octets of SHA-256 of `comlink group words 1`, a zero octet and the secret: of 256 random
  /// bits they tell nothing that helps to find them.
  public var words: [String] {
    let hash = secret.withBytes { secret -> [UInt8] in
      var input = Array("comlink group words 1".utf8) + [0]
      unsafe secret.withUnsafeBytes { unsafe input.append(contentsOf: $0) }
      defer { Sodium.zero(&input) }
      return unsafe Digest.sha256(input.span.bytes)
    }
    return FingerprintWords.words(of: hash.prefix(Self.wordCount))
  }

  /// Whether both have the same secret; takes as long when they do not.
  public func hasSameSecret(as other: Group) -> Bool { secret.isEqual(to: other.secret) }

  /// Lets `body` read the secret.
  public func withSecret<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withBytes(body)
  }
}

extension Group: CustomReflectable, CustomDebugStringConvertible {
  /// The name alone.
  public var debugDescription: String { "Group(\(name), secret kept)" }
  /// The name alone.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// A node's proof of group membership, which only members of that group can check.
extension Group {
  /// Octets of a nonce.
  public static let nonceByteCount = 32
  /// Octets of a proof.
  public static let proofByteCount = 32

  /// The proof of one end of a connection to the other.
  ///
  /// The first ``proofByteCount`` octets of HMAC-SHA-512 (RFC 2104) under the secret of `comlink group proof 1`, a zero
  /// octet, both IDs and both nonces, all of 32 octets. Both IDs must be proved by the channel: then it is good for
  /// this pair, this direction and this connection alone, and can be neither replayed, nor sent back, nor passed on. Of
  /// the secret, and of the group, it tells nothing to who does not have the secret.
  public func proof(
    prover: NodeID, verifier: NodeID, proverNonce: [UInt8], verifierNonce: [UInt8]
  ) -> [UInt8] {
    precondition(
      proverNonce.count == Self.nonceByteCount && verifierNonce.count == Self.nonceByteCount)
    let input =
      Array("comlink group proof 1".utf8) + [0] + prover.octets + verifier.octets + proverNonce
      + verifierNonce
    let code = withSecret { secret in
      unsafe Digest.hmacSHA512(input.span.bytes, key: secret)
    }
    return Array(code.prefix(Self.proofByteCount))
  }

  /// Whether two proofs are the same, in a time that does not tell where they differ.
  public static func isSame(_ proof: [UInt8], _ expected: [UInt8]) -> Bool {
    guard proof.count == expected.count else { return false }
    return unsafe csodium_equal(proof, expected, proof.count) == 1
  }

  /// Octets for a nonce, of the system's random numbers.
  public static func nonce() throws(CryptoError) -> [UInt8] {
    let nonce = try SecretBytes(randomByteCount: nonceByteCount)
    return nonce.withBytes { nonce in unsafe nonce.withUnsafeBytes { unsafe Array($0) } }
  }
}

/// A group as text that can be typed, sent or shown as a QR code: `comlink:group/NAME/SECRET`.
///
/// NAME has all but letters, digits and `-._~` of ASCII written as `%` and two digits (RFC 3986 §2.1). SECRET is 58
/// letters and digits (RFC 4648 §6, lower case, without padding): the 32 octets of the secret, then a checksum of 4.
/// That is the beginning of SHA-256 of `comlink group text 1`, a zero octet, the length of the name in one octet, the
/// name and the secret, so a mistake in either is told (all but one of 4 thousand million).
///
/// The text *is* the secret, and a Swift string cannot be zeroed: it should not live longer than it takes to show it.
extension Group {
  /// How every invitation begins.
  public static let invitationScheme = "comlink:group/"

  private static let checksumByteCount = 4
  private static let blockByteCount = secretByteCount + checksumByteCount
  /// Characters of SECRET.
  static let invitationSecretCharacters = Base32.characterCount(byteCount: blockByteCount)

  /// The text; whoever has it is in the group.
  public var invitation: String {
    withSecret { secret in
      var block = unsafe secret.withUnsafeBytes { unsafe Array($0) }
      defer { Sodium.zero(&block) }
      block += Self.checksum(name: name, secret: block)
      return Self.invitationScheme + Self.escaped(name) + "/" + Base32.text(block)
    }
  }

  /// The group that a text invites to; upper and lower case are the same in all but the name,
  /// blanks around it do not matter.
  ///
  /// Throws `CryptoError.invitation`, with words that tell the mistake but not the secret.
  public convenience init(invitation text: String) throws(CryptoError) {
    let text = Self.trimmed(text)
    let scheme = text.utf8.prefix(Self.invitationScheme.utf8.count)
    guard String(decoding: scheme, as: UTF8.self).lowercased() == Self.invitationScheme else {
      throw .invitation(reason: "it does not begin with \(Self.invitationScheme)")
    }
    let rest = String(decoding: text.utf8.dropFirst(scheme.count), as: UTF8.self)
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .invitation(reason: "it must have one name and one secret, separated by a slash")
    }
    guard let name = Self.unescaped(parts[0]) else {
      throw .invitation(reason: "its name has a % without two hexadecimal digits, or is not UTF-8")
    }
    var block = try Self.block(parts[1])
    defer { Sodium.zero(&block) }
    var secret = Array(block.prefix(Self.secretByteCount))
    defer { Sodium.zero(&secret) }
    guard Self.checksum(name: name, secret: secret) == Array(block.suffix(Self.checksumByteCount))
    else {
      throw .invitation(reason: "its checksum is wrong; check it for a typing mistake")
    }
    try self.init(name: name, secret: unsafe SecretBytes(copying: secret.span.bytes))
  }

  private static func block(_ text: Substring) throws(CryptoError) -> [UInt8] {
    let characters = Array(text.utf8)
    if let place = characters.firstIndex(where: { !Base32.isDigit($0) }) {
      throw .invitation(
        reason: "character \(place + 1) of its secret must be one of a to z and 2 to 7")
    }
    guard characters.count == invitationSecretCharacters else {
      throw .invitation(
        reason: "its secret has \(characters.count) characters instead of "
          + "\(invitationSecretCharacters)")
    }
    guard let block = Base32.bytes(text) else {
      throw .invitation(reason: "the last character of its secret is wrong")
    }
    return block
  }

  private static func checksum(name: String, secret: [UInt8]) -> [UInt8] {
    var input = [UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8) + secret
    defer { Sodium.zero(&input) }
    return Array(Digest.sha256(label: "comlink group text 1", input).prefix(checksumByteCount))
  }

  private static func trimmed(_ text: String) -> String {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let start = text.utf8.drop { blanks.contains($0) }
    let kept = start.reversed().drop { blanks.contains($0) }.reversed()
    return String(decoding: Array(kept), as: UTF8.self)
  }

  private static func escaped(_ name: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for octet in name.utf8 {
      if isUnreserved(octet) {
        text.append(octet)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func unescaped(_ text: Substring) -> String? {
    var octets: [UInt8] = []
    var rest = text.utf8[...]
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexadecimal),
        let low = rest.popFirst().flatMap(hexadecimal)
      else { return nil }
      octets.append(high << 4 | low)
    }
    return String(validating: octets, as: UTF8.self)
  }

  private static func isUnreserved(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexadecimal(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
