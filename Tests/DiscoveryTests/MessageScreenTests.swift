import CAvahi
import TestKit
import Testing

/// What is kept from avahi-core: messages with aliases, and what is no message.
///
/// A trap ends the run.
@Suite struct MessageScreenTests {
  private static let seed: UInt64 = 0xA11A_5E50

  /// A message of a question and an answer with one record after it; names are compressed.
  private static func message(answer: UInt8, additional: UInt8) -> [UInt8] {
    let question: [UInt8] = [1, 0x78, 5] + Array("local".utf8) + [0, 0, 12, 0, 1]
    let record: [UInt8] = [0, 1, 0, 0, 0, 10, 0, 4, 1, 2, 3, 4]
    return [0, 0, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 1] + question
      + [0xC0, 12, 0, answer] + record + [1, 0x79, 0xC0, 14, 0, additional] + record
  }

  private static func isFit(_ octets: [UInt8]) -> Bool {
    unsafe cavahi_message_is_fit(octets, octets.count) != 0
  }

  @Test func `messages without aliases pass, those with one in any section do not`() {
    #expect(Self.isFit(Self.message(answer: 1, additional: 33)))
    #expect(!Self.isFit(Self.message(answer: 5, additional: 33)))
    #expect(!Self.isFit(Self.message(answer: 1, additional: 5)))
    #expect(Self.isFit([0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  }

  @Test func `what is cut off, or promises more than comes, does not pass`() {
    let whole = Self.message(answer: 1, additional: 16)
    for count in whole.indices { #expect(!Self.isFit(Array(whole[..<count]))) }
    for offset in [5, 7, 9, 11] {
      var more = whole
      more[offset] += 1
      #expect(!Self.isFit(more))
    }
    var label = whole
    label[12] = 0x40
    #expect(!Self.isFit(label))
  }

  @Test func `mutations and octets that are cut off are judged without a trap`() {
    var random = SplitMix64(seed: Self.seed)
    let corpus = [(1, 33), (5, 1), (16, 5)].map { Self.message(answer: $0, additional: $1) }
    var passed = 0
    for _ in 0..<20_000 {
      var octets = corpus.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: octets.indices, using: &random)
        octets[index] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        octets.removeLast(Int.random(in: 0..<octets.count, using: &random))
      }
      if Self.isFit(octets) { passed += 1 }
    }
    #expect(passed > 0, "seed \(Self.seed)")
  }
}
