import Cryptography
import TestKit
import Testing

@testable import Captions

/// What two captioners write down of one talker at once.
@Suite struct DoubledWordsTests {
  private static let cases: [(said: String, known: String, before: Bool, after: Bool, String?)] = [
    // All of it, though each hears it a little otherwise.
    ("Stand by on cue ten.", "stand by on cue ten", false, false, nil),
    ("Stand by on cute ten", "Stand by on cue ten, please", false, false, nil),
    ("Yes.", "yes", false, false, nil),
    // The one before heard the beginning, or the end, and this one all.
    ("Stand by on cue ten and go", "stand by on cue ten", false, true, "and go"),
    (
      "Good evening all, stand by on cue ten", "stand by on cue ten", true, false,
      "Good evening all,"
    ),
    // A chunk that begins where the other is about to end, and goes on.
    (
      "cue ten and then the house lights go down", "stand by on cue ten", false, true,
      "and then the house lights go down"
    ),
    (
      "the house lights go down to half stand by", "stand by on cue ten", true, true,
      "the house lights go down to half"
    ),
    // Something else at that time, as with another clock.
    ("Is the fog machine ready?", "stand by on cue ten", false, false, "Is the fog machine ready?"),
    ("...", "stand by", false, false, "..."),
    ("חזרה בעוד חמש דקות", "חזרה בעוד חמש דקות", false, false, nil),
  ]

  @Test(arguments: cases.indices)
  func `words that both have are shown once, and those that one has stay`(index: Int) {
    let (said, known, before, after, rest) = Self.cases[index]
    #expect(
      DoubledWords.rest(of: said, knowing: known, beginsBefore: before, endsAfter: after) == rest)
  }

  private func transcript(
    _ number: UInt64, by node: NodeID, _ chunks: [(String, start: UInt32, milliseconds: UInt32)]
  ) -> CaptionTranscript {
    var transcript = CaptionTranscript(
      key: CaptionSessionKey(captioner: node, number: number), scope: "", beganNanoseconds: 0)
    for (index, chunk) in chunks.enumerated() {
      transcript.put(
        CaptionChunk(
          index: UInt32(index), CaptionTalker(node: node, name: "a"),
          startMilliseconds: chunk.start,
          CaptionWords(chunk.0, durationMilliseconds: chunk.milliseconds, isFinal: true)))
    }
    return transcript
  }

  @Test func `the same words at another time, or of another talker, are said again`() throws {
    let (a, b) = (try SessionTestKey(1).signer.node, try SessionTestKey(2).signer.node)
    let former = transcript(
      1, by: a, [("go", 0, 400), ("stand by", 9000, 900), ("go", 20_000, 400)])
    func rest(_ text: String, by node: NodeID, at start: UInt32, later: Int64 = 0) -> String? {
      let chunk = CaptionChunk(
        index: 0, CaptionTalker(node: node, name: "a"), startMilliseconds: start,
        CaptionWords(text, durationMilliseconds: 500, isFinal: true))
      return DoubledWords.rest(of: chunk, after: [(former, laterMilliseconds: later)])?.text
    }
    #expect(rest("go", by: a, at: 20_300) == nil)
    #expect(rest("go", by: b, at: 20_300) == "go")
    #expect(rest("go", by: a, at: 5000) == "go")
    // Its times count from ten seconds later.
    #expect(rest("go", by: a, at: 30_200, later: 10_000) == nil)
    #expect(rest("go", by: a, at: 20_300, later: 10_000) == "go")
  }

  @Test func `a talker whom both hosts heard while they were cut off is in the session once`()
    throws
  {
    let network = try HostedNetwork(count: 4, seed: 5)
    network.run(seconds: 3)
    let session = try network.host(0)
    network.run(seconds: 0.5)
    for index in 1...3 { try network.join(index, session) }
    network.run(seconds: 0.5)
    network.cut(0, from: 1)
    network.cut(0, from: 3)
    network.run(seconds: 1)
    try network.resume(1, session)
    network.run(seconds: 2)
    // Both hear the talker at 2, each in its own words; each hears somebody that the other does not.
    network.say("Stand by on cue ten.", by: 2, at: 0)
    network.run(seconds: 0.2)
    network.say("Stand by on cue then", by: 2, at: 1)
    network.run(seconds: 2)
    network.say("alone with the first", by: 0, at: 0)
    network.say("alone with the second", by: 3, at: 1)
    network.run(seconds: 1)
    network.mend()
    network.run(seconds: 45)
    for node in network.nodes {
      let texts = node.texts(session)
      #expect(texts.count { $0.hasPrefix("Stand by") } == 1, "\(texts)")
      #expect(texts.contains("Stand by on cue ten."))
      #expect(Set(texts).isSuperset(of: ["alone with the first", "alone with the second"]))
      #expect(texts == network.nodes[0].texts(session))
      let parts = try #require(node.sessions?.view(session)?.parts)
      let shown = parts.flatMap { part in
        (node.sessions?.transcript(ofPart: part)?.chunks.keys.sorted() ?? []).compactMap {
          node.sessions?.shown($0, ofPart: part)?.text
        }
      }
      #expect(Set(shown) == Set(texts) && shown.count == texts.count)
    }
  }

  @Test func `a captioner that hands over to another leaves no word twice`() throws {
    let network = CaptionNetwork(count: 3, seed: 1)
    network.run(seconds: 3)
    let first = try network.begin(0)
    network.run(seconds: 1)
    let second = try network.begin(1)
    network.run(seconds: 1)
    let (one, other) = (
      network.say("Good evening all.", by: 2, at: 0, isFinal: true),
      network.say("good evening, all", by: 2, at: 1, isFinal: true)
    )
    network.run(seconds: 5)
    let last = network.say("and thank you", by: 2, at: 1, isFinal: true)
    network.run(seconds: 1)
    let desk = try #require(network.nodes[2].desk)
    #expect(desk.shown(try #require(one), of: first)?.text == "Good evening all.")
    #expect(desk.shown(try #require(other), of: second) == nil)
    #expect(desk.shown(try #require(last), of: second)?.text == "and thank you")
  }
}
