/// Octets as lower-case letters and digits, five bits each, the most significant first (RFC 4648 §6, without padding).
///
/// Its digits are 2 to 7, so none can be read as a letter. Upper case is read as lower case.
enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// The characters that so many octets take.
  static func characterCount(byteCount: Int) -> Int { (byteCount * 8 + 4) / 5 }

  /// The octets as text.
  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(characterCount(byteCount: bytes.count))
    var (held, heldBits) = (0, 0)
    for byte in bytes {
      (held, heldBits) = (held << 8 | Int(byte), heldBits + 8)
      while heldBits >= 5 {
        heldBits -= 5
        text.append(alphabet[held >> heldBits & 31])
      }
      held &= (1 << heldBits) - 1
    }
    if heldBits > 0 { text.append(alphabet[held << (5 - heldBits) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The octets of a text; nil: a character that does not belong, a length that no octets have, or bits
  /// left over that are not zero.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (held, heldBits) = (0, 0)
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      (held, heldBits) = (held << 5 | value, heldBits + 5)
      guard heldBits >= 8 else { continue }
      heldBits -= 8
      bytes.append(UInt8(truncatingIfNeeded: held >> heldBits))
      held &= (1 << heldBits) - 1
    }
    return heldBits < 5 && held == 0 ? bytes : nil
  }

  /// Whether a character is one of the alphabet's.
  static func isDigit(_ character: UInt8) -> Bool { value(of: character) != nil }

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
