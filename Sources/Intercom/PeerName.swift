/// A peer's display name as it may be shown and used in a JACK port name.
///
/// Names come from the network (SDES NAME, RFC 3550 §6.5.2) and may hold anything up to 255 bytes.
enum PeerName {
  /// Longest name in UTF-8 bytes; leaves room for "peer_" and a number within JACK's port name.
  static let maximumByteCount = 48

  /// `text` without control characters, colons and line breaks, cut to ``maximumByteCount``; "unnamed" if nothing is left.
  static func sanitized(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      let isShown = character.value >= 0x20 && character.value != 0x7F && !isFormatting(character)
      let scalar = isShown && character != ":" ? Character(character) : "_"
      guard result.utf8.count + scalar.utf8.count <= maximumByteCount else { break }
      result.append(scalar)
    }
    let blank: Set<Character> = ["_", " "]
    return result.allSatisfy(blank.contains) ? "unnamed" : result
  }

  /// `name`, or `name-2`, `name-3` … if it is already in `taken`.
  static func unique(_ name: String, among taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }

  /// C1 controls and the invisible marks that can make a terminal lie (bidirectional overrides, zero width).
  private static func isFormatting(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }
}
