import Cryptography
import Foundation
import TestKit
import Testing

@testable import Captions

/// Transcripts as they are written to files.
@Suite struct TranscriptTests {
  private let node: NodeID
  private let title = TranscriptTitle(session: "abc-1", captioner: "A", scope: "line stage")

  init() throws {
    node = try #require(NodeID(octets: [UInt8](repeating: 7, count: 32)))
  }

  private func chunk(
    _ index: UInt32 = 0, _ text: String = "Go", at start: UInt32 = 0, lasting: UInt32 = 2250,
    role: String = "", isFinal: Bool = true, revision: UInt32 = 1
  ) -> CaptionChunk {
    CaptionChunk(
      index: index, revision: revision,
      talker: CaptionTalker(node: node, name: "Bo", role: role, colourRGB: 0xFF80),
      startMilliseconds: start, durationMilliseconds: lasting, text: text, isFinal: isFinal,
      language: "en", confidencePercent: 75)
  }

  private func transcript(_ chunks: [CaptionChunk]) -> CaptionTranscript {
    var transcript = CaptionTranscript(
      key: CaptionSessionKey(captioner: node, number: 1), scope: "", beganNanoseconds: 0)
    for chunk in chunks { transcript.put(chunk) }
    return transcript
  }

  static let heads: [(TranscriptFormat, String)] = [
    (.text, "Captions of line stage, by A, session abc-1\n\n"), (.subRip, ""),
    (.webVTT, "WEBVTT - line stage, by A\n\n"),
    (.json, #"{"session":"abc-1","captioner":"A","scope":"line stage"}"# + "\n"),
  ]

  @Test(arguments: heads) func `each file has its head`(format: TranscriptFormat, head: String) {
    #expect(format.head(title) == head)
  }

  @Test func `a chunk in each format`() {
    let said = chunk(4, "Stand by", at: 3_661_005, role: "desk")
    #expect(
      TranscriptFormat.text.text(said, number: 8, name: "Bo")
        == "01:01:01  Bo (desk): Stand by\n")
    #expect(
      TranscriptFormat.subRip.text(said, number: 8, name: "Bo")
        == "9\n01:01:01,005 --> 01:01:03,255\nBo (desk): Stand by\n\n")
    #expect(
      TranscriptFormat.webVTT.text(said, number: 8, name: "Bo")
        == "01:01:01.005 --> 01:01:03.255\n<v Bo (desk)>Stand by\n\n")
    #expect(
      TranscriptFormat.json.text(said, number: 8, name: "Bo")
        == #"{"index":4,"start":3661.005,"duration":2.250,"talker":"Bo","talkerID":""#
        + node.text
        + #"","role":"desk","colour":"00ff80","language":"en","confidence":0.750,"#
        + #""text":"Stand by"}"# + "\n")
  }

  @Test func `what has no length is shown for a second, and days are hours`() {
    let said = chunk(at: .max, lasting: 0)
    #expect(
      TranscriptFormat.subRip.text(said, number: 0, name: "Bo")
        .contains("1193:02:47,295 --> 1193:02:48,295"))
  }

  static let evil =
    "a\u{1B}[2Jb\u{202E}c\u{2028}d\r\n\r\n2\n00:00 --> 00:01\n<b>{\\an8}\"x\\y&\u{0}\u{2066}"

  @Test(arguments: TranscriptFormat.allCases)
  func `nothing that somebody says or is called leaves its place`(format: TranscriptFormat) {
    let text = format.text(chunk(0, Self.evil), number: 0, name: Self.evil)
    let plain = format.text(chunk(), number: 0, name: "Bo")
    #expect(text.count(where: \.isNewline) == plain.count(where: \.isNewline))
    for scalar in text.unicodeScalars where scalar != "\n" {
      let category = scalar.properties.generalCategory
      #expect(
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(category), "\(scalar)")
    }
    if format == .subRip || format == .webVTT {
      #expect(text.components(separatedBy: "-->").count == 2)
      #expect(!text.contains("<b>") && !text.contains("{\\") || format == .webVTT)
    }
    let head = format.head(
      TranscriptTitle(session: "s", captioner: Self.evil, scope: Self.evil))
    #expect(format == .subRip || head.contains("b"))
    #expect(
      head.count(where: \.isNewline)
        == format.head(TranscriptTitle(session: "s", captioner: "", scope: ""))
        .count(where: \.isNewline))
  }

  @Test func `JSON has the text itself, whatever it is`() throws {
    let line = TranscriptFormat.json.text(chunk(0, Self.evil), number: 0, name: "👩‍🚀\u{10FFFF}")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["text"] as? String == Self.evil)
    #expect(object["talker"] as? String == "👩‍🚀\u{10FFFF}")
  }

  @Test func `other scripts and emoji are left as they are spelt`() {
    for text in ["مرحبا می‌خواهم", "שלום", "ਪੰਜਾਬੀ", "👩‍🚀 zehn"] {
      #expect(TranscriptFormat.plain(text) == text)
    }
  }

  @Test func `what is settled is added at the end, once nothing before it may change`() throws {
    var ledger = TranscriptLedger()
    var known = transcript([chunk(0, at: 0, isFinal: false), chunk(1, at: 500)])
    #expect(ledger.next(known) == nil)
    known.put(chunk(0, "First", at: 0, revision: 2))
    let first = try #require(ledger.next(known))
    #expect(first.isWhole && first.chunks.map(\.index) == [0, 1])
    ledger.note(first)
    #expect(ledger.next(known) == nil)
    known.put(chunk(2, " ", at: 900))
    #expect(ledger.next(known) == nil, "nobody said anything")
    known.put(chunk(3, "Next", at: 1000))
    let next = try #require(ledger.next(known))
    #expect(!next.isWhole && next.chunks.map(\.index) == [3] && next.count == 2)
    // It could not be written.
    #expect(ledger.next(known) == next)
    ledger.lose()
    #expect(ledger.next(known)?.isWhole == true)
  }

  @Test func `history that comes late, or a text that is another, makes the file anew`() throws {
    var ledger = TranscriptLedger()
    var known = transcript([chunk(5, "Five", at: 5000)])
    ledger.note(try #require(ledger.next(known)))
    known.put(chunk(1, "One", at: 1000))
    let whole = try #require(ledger.next(known))
    #expect(whole.isWhole && whole.chunks.map(\.text) == ["One", "Five"])
    ledger.note(whole)
    known.put(chunk(5, "Fife", at: 5000, revision: 2))
    let other = try #require(ledger.next(known))
    #expect(other.isWhole && other.chunks.map(\.text) == ["One", "Fife"])
    ledger.note(other)
    // Something that began before is said still: what is written stays.
    known.put(chunk(6, "Four", at: 4000, isFinal: false))
    #expect(ledger.next(known) == nil)
  }

  @Test func `what was partial when the captioner went is in the file, until it is back`() throws {
    var ledger = TranscriptLedger()
    var known = transcript([chunk(0, "I was", isFinal: false)])
    #expect(ledger.next(known) == nil)
    known.isLive = false
    ledger.note(try #require(ledger.next(known)))
    known.isLive = true
    known.put(chunk(0, "I was here", revision: 2))
    #expect(ledger.next(known)?.isWhole == true)
  }

  @Test(arguments: Seeds.first(200))
  func `whatever comes in whatever order, the file has all in order`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let all = (0..<40 as Range<UInt32>).map { index in
      chunk(index, "text \(index)", at: UInt32.random(in: 0..<20_000, using: &random))
    }
    var (ledger, known, file) = (TranscriptLedger(), transcript([]), [CaptionChunk]())
    for chunk in all.shuffled(using: &random) {
      if random.chance(0.4) {
        known.put(
          self.chunk(chunk.index, "…", at: chunk.startMilliseconds, isFinal: false, revision: 0))
      } else {
        known.put(chunk)
      }
      guard let step = ledger.next(known) else { continue }
      guard !random.chance(0.2) else {
        ledger.lose()
        continue
      }
      file = step.isWhole ? step.chunks : file + step.chunks
      ledger.note(step)
    }
    for chunk in all { known.put(chunk) }
    if let step = ledger.next(known) { file = step.isWhole ? step.chunks : file + step.chunks }
    let wanted = all.sorted {
      ($0.startMilliseconds, $0.index) < ($1.startMilliseconds, $1.index)
    }
    #expect(file == wanted, "seed \(seed)")
  }
}
