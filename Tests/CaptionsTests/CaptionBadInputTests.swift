import Cryptography
import TestKit
import Testing

@testable import Captions

/// What a node that lies, or is broken, can send.
@Suite struct CaptionBadInputTests {
  private let own, captioner, liar: NodeID

  init() throws {
    (own, captioner, liar) = (try Self.node(1), try Self.node(2), try Self.node(3))
  }

  private static func node(_ number: UInt64) throws -> NodeID {
    let octets = (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * ($0 % 8))) }
    return try #require(NodeID(octets: octets))
  }

  private func desk() -> CaptionDesk {
    var desk = CaptionDesk(own: own, instance: 1)
    desk.join(captioner, nowNanoseconds: 0)
    desk.join(liar, nowNanoseconds: 0)
    return desk
  }

  private func offer(_ number: UInt64, isLive: Bool = true) -> [UInt8] {
    CaptionFrame.offer(
      CaptionOffer(
        number: number, isLive: isLive, isFollowed: true, elapsedMilliseconds: 0, count: 0,
        finals: 0, scope: "line all")
    ).octets
  }

  private func chunk(
    _ index: UInt32, by talker: NodeID, _ text: String = "words", startMilliseconds: UInt32 = 0
  ) -> CaptionChunk {
    CaptionChunk(
      index: index, revision: 1, talker: CaptionTalker(node: talker, name: "name"),
      startMilliseconds: startMilliseconds, durationMilliseconds: 0, text: text, isFinal: true,
      language: "", confidencePercent: nil)
  }

  @Test func `nobody adds to somebody else's session`() {
    var desk = desk()
    desk.take(offer(7), from: captioner, nowNanoseconds: 0)
    desk.take(
      CaptionFrame.chunks(7, [chunk(0, by: captioner)]).octets, from: liar, nowNanoseconds: 0)
    let key = CaptionSessionKey(captioner: captioner, number: 7)
    #expect(desk.transcripts[key]?.chunks.isEmpty == true)
    #expect(desk.faults == [.unknownSession: 1])
    desk.take(offer(7), from: liar, nowNanoseconds: 0)
    desk.take(
      CaptionFrame.chunks(7, [chunk(0, by: captioner)]).octets, from: liar, nowNanoseconds: 0)
    // What somebody says of others is in a session of their own.
    #expect(desk.transcripts[key]?.chunks.isEmpty == true)
  }

  @Test func `a wish whose ranges overlap, or are not in order, is refused before it costs work`()
    throws
  {
    let all = 0..<UInt32(CaptionLimits.chunks)
    for ranges in [[all, all], [5..<6, 5..<7], [8..<9, 1..<2], [3..<3]] as [[Range<UInt32>]] {
      let octets = CaptionFrame.want(7, holding: ranges).octets
      #expect(throws: CaptionFault.malformed) { try CaptionFrame(parsing: octets) }
    }
    let apart = CaptionFrame.want(7, holding: [0..<2, 2..<3, 9..<10])
    #expect(try CaptionFrame(parsing: apart.octets) == apart)
  }

  @Test func `words in the mouth of somebody who refuses are not taken`() {
    var desk = desk()
    desk.take(offer(7), from: liar, nowNanoseconds: 0)
    desk.take(
      CaptionFrame.hello(refuses: true, run: 1).octets, from: captioner,
      nowNanoseconds: 5_000_000_000)
    desk.setRefuses(true, nowNanoseconds: 5_000_000_000)
    for talker in [captioner, own] {
      desk.take(
        CaptionFrame.chunks(7, [chunk(1, by: talker, startMilliseconds: 60_000)]).octets,
        from: liar, nowNanoseconds: 60_000_000_000)
    }
    #expect(desk.faults == [.refuser: 2])
    // What was said before is no matter of consent any more.
    desk.take(
      CaptionFrame.chunks(7, [chunk(2, by: captioner)]).octets, from: liar,
      nowNanoseconds: 60_000_000_000)
    #expect(desk.transcripts.values.first?.chunks.count == 1)
  }

  @Test func `a thousand sessions of one member are four, and of all are 64`() throws {
    var desk = desk()
    for number in 1...1000 as ClosedRange<UInt64> {
      desk.take(offer(number), from: liar, nowNanoseconds: 0)
    }
    #expect(desk.transcripts.keys.map(\.number).sorted() == [997, 998, 999, 1000])
    // An old one does not push out a new one.
    desk.take(offer(3), from: liar, nowNanoseconds: 0)
    #expect(desk.faults[.full] == 1)
    for number in 10..<1010 as Range<UInt64> {
      let node = try Self.node(number)
      desk.join(node, nowNanoseconds: 0)
      desk.take(offer(1), from: node, nowNanoseconds: Int64(number))
      if number.isMultiple(of: 2) { desk.leave(node) }
    }
    #expect(desk.transcripts.count <= CaptionLimits.sessions)
    #expect(desk.faults[.full, default: 0] > 1)
  }

  @Test func `where all is full the oldest session that is over makes room`() {
    var desk = desk()
    let text = String(repeating: "x", count: CaptionLimits.textBytes)
    let chunks = UInt32(CaptionLimits.sessionBytes / CaptionLimits.textBytes)
    for number in 1...4 as ClosedRange<UInt64> {
      desk.take(offer(number), from: liar, nowNanoseconds: Int64(number))
      for index in 0..<chunks {
        desk.take(
          CaptionFrame.chunks(number, [chunk(index, by: liar, text)]).octets, from: liar,
          nowNanoseconds: Int64(number))
      }
      desk.take(offer(number, isLive: false), from: liar, nowNanoseconds: Int64(number))
    }
    desk.take(offer(7), from: captioner, nowNanoseconds: 5)
    for index in 0..<chunks {
      desk.take(
        CaptionFrame.chunks(7, [chunk(index, by: captioner, text)]).octets, from: captioner,
        nowNanoseconds: 5)
    }
    let held = desk.transcripts.mapValues(\.byteCount)
    #expect(held.values.reduce(0, +) <= CaptionLimits.totalBytes)
    #expect(held[CaptionSessionKey(captioner: liar, number: 1)] == nil)
    #expect(held[CaptionSessionKey(captioner: liar, number: 4)] != nil)
    let own = desk.transcripts[CaptionSessionKey(captioner: captioner, number: 7)]
    #expect(own.map { $0.byteCount > CaptionLimits.sessionBytes * 9 / 10 } == true)
  }

  @Test func `text without end fills its session, and nothing else`() {
    var desk = desk()
    desk.take(offer(7), from: liar, nowNanoseconds: 0)
    desk.take(offer(7), from: captioner, nowNanoseconds: 0)
    let text = String(repeating: "x", count: CaptionLimits.textBytes)
    for index in 0..<UInt32(CaptionLimits.chunks) {
      desk.take(
        CaptionFrame.chunks(7, [chunk(index, by: liar, text)]).octets, from: liar,
        nowNanoseconds: 0)
    }
    let key = CaptionSessionKey(captioner: liar, number: 7)
    #expect(desk.transcripts[key]?.byteCount ?? .max <= CaptionLimits.sessionBytes)
    #expect(desk.faults[.full, default: 0] > 20_000)
    desk.take(
      CaptionFrame.chunks(7, [chunk(0, by: captioner)]).octets, from: captioner,
      nowNanoseconds: 0)
    #expect(
      desk.transcripts[CaptionSessionKey(captioner: captioner, number: 7)]?.chunks.count == 1)
  }

  @Test func `an own recogniser's flood is cut to what a chunk takes`() throws {
    var desk = desk()
    desk.take(CaptionFrame.hello(refuses: false, run: 1).octets, from: captioner, nowNanoseconds: 0)
    try desk.begin("all", nowNanoseconds: 0)
    let key = try #require(desk.ownSession)
    let flood = String(repeating: "שלום👩‍👩‍👧 ", count: 100_000)
    let opened = desk.open(
      CaptionTalker(node: captioner, name: flood, role: flood), in: [], beganNanoseconds: -5,
      CaptionWords(flood, durationMilliseconds: 1, language: flood, confidencePercent: 200))
    let index = try #require(opened)
    let chunk = try #require(desk.transcripts[key]?.chunks[index])
    #expect(chunk.octets.count < CaptionLimits.frameBytes && chunk.confidencePercent == 100)
    #expect(chunk.text.utf8.count > CaptionLimits.textBytes - 40 && flood.hasPrefix(chunk.text))
    #expect(CaptionFrame.chunks(1, [chunk]).octets.count <= CaptionLimits.frameBytes)
    let read = try CaptionFrame(parsing: CaptionFrame.chunks(1, [chunk]).octets)
    #expect(read == .chunks(1, [chunk]))
  }

  @Test func `frames that are cut, longer, or changed anywhere are refused or read, never a trap`()
  {
    let frames: [CaptionFrame] = [
      .hello(refuses: true, run: 1),
      .want(3, holding: [0..<4, 9..<20]),
      .offer(
        CaptionOffer(
          number: 1, isLive: true, isFollowed: false, elapsedMilliseconds: 4, count: 3, finals: 2,
          scope: "s")),
      .chunks(1, [chunk(3, by: liar), chunk(4, by: liar)]),
    ]
    var random = SplitMix64(seed: 5)
    for frame in frames {
      let octets = frame.octets
      #expect((try? CaptionFrame(parsing: octets)) == frame)
      for count in 0..<octets.count {
        if let read = try? CaptionFrame(parsing: Array(octets[..<count])) { #expect(read != frame) }
      }
      #expect(throws: CaptionFault.self) { try CaptionFrame(parsing: octets + [0]) }
      for _ in 0..<Seeds.rounds(20_000) {
        var changed = octets
        for _ in 0..<3 {
          changed[Int.random(in: changed.indices, using: &random)] = UInt8(
            truncatingIfNeeded: random.next())
        }
        var desk = desk()
        desk.take(changed, from: liar, nowNanoseconds: 0)
        _ = desk.next(for: liar, nowNanoseconds: 0)
      }
    }
    #expect(throws: CaptionFault.oversized) {
      try CaptionFrame(parsing: [UInt8](repeating: 4, count: 5000))
    }
    for fault in CaptionFault.allCases { #expect(!fault.words.isEmpty) }
  }

  @Test func `what is cleared does not come back, but for a session that goes on`() {
    var desk = desk()
    desk.take(offer(7, isLive: false), from: captioner, nowNanoseconds: 0)
    var count = desk.clear()
    #expect(count == 1)
    desk.take(offer(7, isLive: false), from: captioner, nowNanoseconds: 0)
    #expect(desk.transcripts.isEmpty)
    desk.take(offer(7), from: captioner, nowNanoseconds: 0)
    count = desk.clear()
    #expect(desk.transcripts.count == 1 && count == 0)
  }
}
