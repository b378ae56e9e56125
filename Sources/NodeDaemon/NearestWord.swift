/// Finds what somebody may have meant.
enum NearestWord {
  /// The word of `known` that takes the fewest changes (at most two, and fewer than half its
  /// letters) to make of `word`; nil if none is near.
  static func find(_ word: String, among known: [String]) -> String? {
    let near = known.map { (word: $0, changes: distance(Array(word), Array($0))) }
    guard let best = near.min(by: { $0.changes < $1.changes }),
      best.changes <= 2, best.changes * 2 < best.word.count
    else { return nil }
    return best.word
  }

  /// Levenshtein's distance: insertions, deletions and replacements.
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    var row = Array(0...to.count)
    for (i, letter) in from.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in to.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[to.count]
  }
}
