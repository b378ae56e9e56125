import Testing

@testable import Cryptography

@Suite struct FingerprintWordsTests {
  private static let table = FingerprintWords.table

  @Test func `there is a word for each octet, in alphabetical order`() {
    #expect(Self.table.count == 256)
    #expect(Self.table == Self.table.sorted())
  }

  @Test func `words are short, plain and begin differently`() {
    #expect(Self.table.allSatisfy { (4...7).contains($0.count) })
    #expect(Self.table.allSatisfy { $0.allSatisfy { $0.isLetter && $0.isASCII && $0.isLowercase } })
    #expect(Set(Self.table.map { $0.prefix(3) }).count == 256)
  }

  @Test func `no two words can be mistaken by two letters`() {
    for (index, word) in Self.table.enumerated() {
      let nearest = Self.table[(index + 1)...].map { distance(word, $0) }.min() ?? 3
      #expect(nearest >= 3, "\(word)")
    }
  }

  @Test func `octets become words in their order`() {
    let words = FingerprintWords.words(of: [0, 255, 1, 0] as [UInt8])
    #expect(words == ["acorn", "zodiac", "adobe", "acorn"])
  }

  /// Letters to change, add or leave out.
  private func distance(_ one: String, _ other: String) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (place, otherLetter) in other.enumerated() {
        next.append(
          min(row[place + 1] + 1, next[place] + 1, row[place] + (letter == otherLetter ? 0 : 1)))
      }
      row = next
    }
    return row[other.count]
  }
}
