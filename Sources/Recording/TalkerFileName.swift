/// A talker's name as a file's.
///
/// Names come from the network and may hold anything.
enum TalkerFileName {
  /// Longest name in bytes of UTF-8, far below what file systems take.
  static let maximumByteCount = 80
  /// What FAT and its kin do not take, besides what shells make much of.
  private static let refused: Set<Unicode.Scalar> = [
    "/", "\\", ":", "*", "?", "\"", "<", ">", "|", "$", "`", "'",
  ]

  /// The name with whatever a file system may refuse replaced; `unnamed` if nothing is left.
  static func sanitized(_ name: String) -> String {
    var result = ""
    for character in name {
      // By scalars: a slash with a mark over it is another character, and to the file system a slash.
      let isRefused = character.unicodeScalars.contains {
        refused.contains($0) || isControl($0.properties.generalCategory)
      }
      let shown: Character = isRefused ? "_" : character
      guard result.utf8.count + shown.utf8.count <= maximumByteCount else { break }
      result.append(shown)
    }
    // Names like "." are the file system's, and files whose names begin with a dot are hidden.
    while let first = result.unicodeScalars.first, [".", " ", "-"].contains(first) {
      result.removeFirst()
    }
    while let last = result.unicodeScalars.last, [".", " "].contains(last) { result.removeLast() }
    return result.allSatisfy { $0 == "_" } ? "unnamed" : result
  }

  /// `name`, or `name-2`, `name-3` … if it is taken; the case does not tell two names apart, as on FAT.
  static func unique(_ name: String, among taken: Set<String>) -> String {
    guard taken.contains(folded(name)) else { return name }
    var number = 2
    while taken.contains(folded("\(name)-\(number)")) { number += 1 }
    return "\(name)-\(number)"
  }

  /// The name as it is compared.
  static func folded(_ name: String) -> String { name.lowercased() }

  private static func isControl(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}
