import Cryptography

/// Whom the user means: one of those that are known, by what a person can type or read out.
///
/// In this order: the whole ID, its words or the first two and more of them, the name, the name in upper or lower case,
/// the first ``leastIDCharacters`` characters and more of the ID.
/// What nobody can choose comes before names, which anybody may take.
struct NodeSearch {
  /// Somebody who may be meant.
  struct Candidate {
    /// Nil where it is not known yet.
    var node: NodeID?
    var name: String
    /// Whether it is meant by its name, too.
    var isNameable = true
    /// Whether it is meant where others are called the same: it is here, they are not.
    var isPresent = false
  }

  /// 30 bits: mistakes do not hit another node.
  static let leastIDCharacters = 6
  private static let leastWords = 2

  let candidates: [Candidate]

  /// The place in ``candidates`` of the one that is meant.
  ///
  /// - Throws: `refused` where it may be one or the other, `unknownPeer` where it is nobody.
  func index(of text: String) throws(IntercomError) -> Int {
    let lowercased = text.lowercased()
    let words = lowercased.split { " -".contains($0) }.map(String.init)
    let steps: [(Candidate) -> Bool] = [
      { $0.node?.text == lowercased },
      { words.count >= Self.leastWords && $0.node?.words.starts(with: words) == true },
      { $0.isNameable && $0.name == text },
      { $0.isNameable && $0.name.lowercased() == lowercased },
      {
        lowercased.utf8.count >= Self.leastIDCharacters
          && $0.node?.text.hasPrefix(lowercased) == true
      },
    ]
    for isMeant in steps where !text.isEmpty {
      if let index = try one(of: candidates.indices.filter { isMeant(candidates[$0]) }, text) {
        return index
      }
    }
    throw .unknownPeer(text, known: candidates.map(\.name).filter { !$0.isEmpty })
  }

  /// The only one, or the only one that is here; nil: there is none.
  private func one(of found: [Int], _ text: String) throws(IntercomError) -> Int? {
    guard found.count > 1 else { return found.first }
    let present = found.filter { candidates[$0].isPresent }
    guard present.count == 1 else {
      throw .refused("\(found.count) nodes are named \(text); give the words of the one you mean")
    }
    return present[0]
  }
}
