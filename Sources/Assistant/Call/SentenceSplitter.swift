/// Cuts a text that comes in pieces into sentences, so that the first is spoken while the rest is still being made.
///
/// A sentence ends at a line's end, or after `.`, `!`, `?`, `…`, `:` or `;` where a blank follows and it is neither an
/// abbreviation nor a number of a list. One that gets too long is cut at its last comma or blank. Marks that are for
/// the eye only (Markdown) are left out.
struct SentenceSplitter {
  /// The longest piece, in letters: some 15 seconds.
  private static let mostLetters = 220
  private static let ends: Set<Character> = [".", "!", "?", "…", ":", ";", "。", "！", "？"]
  /// What may stand between the end and the blank.
  private static let closing: Set<Character> = ["\"", "'", ")", "]", "”", "’", "»"]
  private static let marks: Set<Character> = ["*", "#", "`", "_", "|", "~", ">"]
  private static let abbreviations: Set<String> = [
    "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "vs.", "e.g.", "i.e.", "etc.", "no.", "nr.",
    "approx.", "fig.", "z.b.", "bzw.", "ca.", "usw.",
  ]

  private var rest: [Character] = []

  /// Takes the next piece.
  ///
  /// - Returns: the sentences that are complete now.
  mutating func take(_ text: String) -> [String] {
    var sentences: [String] = []
    for character in text {
      let isEnd = character.isNewline || (character.isWhitespace && endsSentence)
      if isEnd {
        if let sentence = cut(rest.count) { sentences.append(sentence) }
        continue
      }
      rest.append(character)
      guard rest.count > Self.mostLetters else { continue }
      let comma = rest.lastIndex(of: ",").map { $0 + 1 }
      let place = comma ?? rest.lastIndex(where: \.isWhitespace) ?? rest.count
      if let sentence = cut(place) { sentences.append(sentence) }
    }
    return sentences
  }

  /// The text is over.
  mutating func finish() -> String? { cut(rest.count) }

  private var endsSentence: Bool {
    guard let last = rest.last(where: { !Self.closing.contains($0) }), Self.ends.contains(last)
    else { return false }
    guard last == "." else { return true }
    let word = rest.split(whereSeparator: \.isWhitespace).last.map { String($0) } ?? ""
    if Self.abbreviations.contains(word.lowercased()) { return false }
    // "1." begins a list, "J." is somebody's name.
    let stem = word.dropLast()
    return !(stem.allSatisfy(\.isNumber) || (stem.count == 1 && stem.allSatisfy(\.isUppercase)))
  }

  /// - Returns: nil: there is nothing in it to say.
  private mutating func cut(_ count: Int) -> String? {
    let piece = rest.prefix(count).filter { !Self.marks.contains($0) }
    rest.removeFirst(count)
    let text = String(piece).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.contains { $0.isLetter || $0.isNumber } ? text : nil
  }
}
