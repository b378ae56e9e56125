/// A group as text that can be typed, sent or shown as a QR code: `comlink:group/NAME/SECRET`.
///
/// NAME has all but letters, digits and `-._~` of ASCII written as `%` and two digits (RFC 3986 §2.1). SECRET is 58
/// letters and digits (RFC 4648 §6, lower case, without padding): the 32 octets of the secret, then a checksum of 4. That is the
/// beginning of SHA-256 of `comlink group text 1`, a zero octet, the length of the name in one octet, the name and
/// the secret, so a mistake in either is told (all but one of 4 thousand million).
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

  /// The group that a text invites to; upper and lower case are the same in all but the name, blanks around it do not matter.
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
      throw .invitation(reason: "it must have one name and one secret, parted by a slash")
    }
    guard let name = Self.unescaped(parts[0]) else {
      throw .invitation(reason: "its name has a % without two digits, or is not text")
    }
    var block = try Self.block(parts[1])
    defer { Sodium.zero(&block) }
    var secret = Array(block.prefix(Self.secretByteCount))
    defer { Sodium.zero(&secret) }
    guard Self.checksum(name: name, secret: secret) == Array(block.suffix(Self.checksumByteCount))
    else {
      throw .invitation(reason: "its checksum is wrong, so there is a mistake in it somewhere")
    }
    try self.init(name: name, secret: unsafe SecretBytes(copying: secret.span.bytes))
  }

  private static func block(_ text: Substring) throws(CryptoError) -> [UInt8] {
    let characters = Array(text.utf8)
    if let place = characters.firstIndex(where: { !Base32.isDigit($0) }) {
      throw .invitation(
        reason: "character \(place + 1) of its secret is none of a to z and 2 to 7")
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
