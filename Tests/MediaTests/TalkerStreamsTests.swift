import Media
import RTP
import TestKit
import Testing

/// One source, coded once, for several audiences.
@Suite struct TalkerStreamsTests {
  /// A codec that counts what it codes.
  private final class Counting: FrameEncoder {
    private let tone = ToneCodec.Encoder()
    private(set) var coded = 0

    func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int {
      coded += 1
      return tone.encode(pcm, into: &payload)
    }
    var lookaheadFrames: Int { tone.lookaheadFrames }
    func reset() { tone.reset() }
    func aim(bitsPerSecond: Int) { tone.aim(bitsPerSecond: bitsPerSecond) }
    func expect(lossPercent: Int) { tone.expect(lossPercent: lossPercent) }
  }

  private let encoder = Counting()

  private func talker() -> Talker {
    Talker(
      configuration: TalkerConfiguration(
        ssrc: SSRC(rawValue: 100), framesPerPacket: 480,
        firstSequenceNumber: SequenceNumber(rawValue: 65_530),
        firstTimestamp: RTPTimestamp(rawValue: 7)), encoder: encoder)
  }

  private func opened(_ count: Int = Talker.streamLimit) -> Talker {
    let talker = talker()
    for number in 1..<count {
      let isOpen = talker.open(
        number, ssrc: SSRC(rawValue: UInt32(100 + number)),
        firstSequenceNumber: SequenceNumber(rawValue: UInt16(1000 * number)))
      #expect(isOpen)
    }
    return talker
  }

  private func say(_ talker: Talker, amplitude: Float = 0.5) -> Bool {
    let pcm = (0..<480 as Range<Int64>).map { amplitude * ToneCodec.tone(at: $0) }
    return talker.encode(pcm.span)
  }

  private func packet(
    _ fill: (inout MutableRawSpan) -> Int
  ) -> (header: RTPHeader, payload: [UInt8])? {
    var bytes = [UInt8](repeating: 0xEE, count: 1500)
    let count = {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      return fill(&raw)
    }()
    let datagram = Array(bytes[..<count])
    guard let packet = try? RTPPacket(parsing: unsafe datagram.span.bytes) else { return nil }
    return (packet.header, Array(datagram[packet.payload]))
  }

  private func packet(
    of number: Int, _ talker: Talker, _ recipe: RepairRecipe = .plain
  ) -> (header: RTPHeader, payload: [UInt8])? {
    packet { talker.write(recipe, of: number, into: &$0) }
  }

  @Test func `all streams carry the same frame, coded once, each by its own numbers`() throws {
    let talker = opened()
    for turn in 0..<20 {
      #expect(say(talker))
      let base = try #require(packet(of: 0, talker))
      #expect(base.header.sequenceNumber.rawValue == UInt16(65_530) &+ UInt16(turn))
      for number in 1..<Talker.streamLimit {
        let sent = try #require(packet(of: number, talker))
        #expect(sent.payload == base.payload)
        #expect(sent.header.ssrc.rawValue == UInt32(100 + number))
        #expect(sent.header.sequenceNumber.rawValue == UInt16(1000 * number + turn))
        #expect(sent.header.timestamp == base.header.timestamp)
        #expect(sent.header.marker == (turn == 0))
      }
    }
    #expect(encoder.coded == 20 && talker.counters.packets == 20 * Talker.streamLimit)
  }

  @Test func `a number or an SSRC that is in use opens nothing`() {
    let talker = opened(3)
    let first = SequenceNumber(rawValue: 0)
    for (number, ssrc) in [(-1, 7), (Talker.streamLimit, 7), (0, 7), (2, 7), (3, 100), (3, 102)] {
      let isOpen = talker.open(
        number, ssrc: SSRC(rawValue: UInt32(ssrc)), firstSequenceNumber: first)
      #expect(!isOpen, "\(number) \(ssrc)")
    }
    talker.close(0)
    talker.close(2)
    talker.close(99)
    #expect(talker.number(of: SSRC(rawValue: 100)) == 0)
    #expect(talker.number(of: SSRC(rawValue: 102)) == nil)
    #expect(talker.open(2, ssrc: SSRC(rawValue: 102), firstSequenceNumber: first))
  }

  @Test func `who is not spoken to gets notices without a level while others are`() throws {
    let talker = opened(3)
    for _ in 0..<3 { #expect(say(talker)) }
    talker.speak(false, to: 1)
    var notices: [RTPHeader] = []
    for _ in 0..<80 {
      #expect(say(talker))
      #expect(try #require(packet(of: 2, talker)).payload.count == ToneCodec.payloadBytes)
      guard talker.sends(1) else {
        #expect(packet(of: 1, talker) == nil)
        continue
      }
      let sent = try #require(packet(of: 1, talker))
      #expect(sent.payload == [30 << 3])
      #expect(sent.header.audioLevel == AudioLevel(levelDBov: -127, hasVoiceActivity: false))
      notices.append(sent.header)
    }
    // At once and each 400 ms, numbered in a row.
    #expect(notices.map(\.sequenceNumber.rawValue) == [1003, 1004])
    talker.speak(true, to: 1)
    #expect(say(talker))
    let again = try #require(packet(of: 1, talker))
    #expect(again.header.marker && again.header.sequenceNumber.rawValue == 1005)
    #expect(try #require(packet(of: 2, talker)).header.marker == false)
  }

  @Test func `with nobody spoken to nothing is coded`() {
    let talker = opened(2)
    talker.speak(false, to: 0)
    talker.speak(false, to: 1)
    for turn in 0..<41 { #expect(say(talker) == (turn % 40 == 0)) }
    #expect(encoder.coded == 0)
  }

  @Test func `copies and packets sent again are those of their own stream`() throws {
    let talker = opened(2)
    var said: [[UInt8]] = []
    for turn in 0..<6 {
      if turn == 2 { talker.speak(false, to: 1) }
      if turn == 4 { talker.speak(true, to: 1) }
      #expect(say(talker))
      said.append(try #require(packet(of: 0, talker)).payload)
    }
    // Stream 1 sent frames 0 and 1, a notice, nothing, and frames 4 and 5: numbers 1000 to 1004.
    let recipe = RepairRecipe(nearDistance: 1, farDistance: 2)
    let payload = try #require(packet(of: 1, talker, recipe)).payload
    let redundant = try RedundantPayload(payload.indices, in: unsafe payload.span.bytes)
    #expect(redundant.copyCount == 1 && Array(payload[redundant.primary]) == said[5])
    let resent = try #require(
      packet { talker.writeResent(SequenceNumber(rawValue: 1003), of: 1, into: &$0) })
    #expect(resent.payload == [0x03, 0xEB] + said[4])
    #expect(resent.header.ssrc.rawValue == ~101)
    let notice = try #require(
      packet { talker.writeResent(SequenceNumber(rawValue: 1002), of: 1, into: &$0) })
    #expect(notice.payload == [0x03, 0xEA, 30 << 3])
    #expect(!talker.remembers(SequenceNumber(rawValue: 1003)), "it is not of the base stream")
    #expect(talker.remembers(SequenceNumber(rawValue: 65_530)))
  }

  @Test func `lines are those of the moment, also in what is sent again`() throws {
    let talker = opened(2)
    let lines = try #require(LineSet(line: 9))
    talker.aim(1, at: lines)
    #expect(say(talker))
    talker.aim(1, at: nil)
    #expect(try #require(packet(of: 1, talker)).header.lines == lines)
    #expect(try #require(packet(of: 0, talker)).header.lines == nil)
    #expect(say(talker))
    #expect(try #require(packet(of: 1, talker)).header.lines == nil)
    let resent = packet { talker.writeResent(SequenceNumber(rawValue: 1000), of: 1, into: &$0) }
    #expect(try #require(resent).header.lines == lines)
  }

  @Test func `who is on other lines than before has a run that begins, and no copy from before it`()
    throws
  {
    let talker = talker()
    let copies = RepairRecipe(nearDistance: 1)
    for _ in 0..<3 { #expect(say(talker)) }
    #expect(try #require(packet(of: 0, talker)).header.run == nil)
    // All that are on line 3 got what went to all.
    talker.aim(0, at: LineSet(line: 3))
    #expect(say(talker))
    var sent = try #require(packet(of: 0, talker, copies))
    #expect(sent.header.lines == LineSet(line: 3) && sent.header.run == nil)
    #expect(sent.header.payloadType == 112 && talker.audience(of: 0) == LineSet(line: 3))
    for turn in 0..<3 {
      talker.aim(0, at: LineSet(line: 5))
      #expect(say(talker))
      sent = try #require(packet(of: 0, talker, copies))
      #expect(sent.header.run == UInt8(turn) && sent.header.marker == (turn == 0))
      let plain = try #require(packet(of: 0, talker))
      let copied = sent.payload.count - plain.payload.count
      #expect(turn == 0 ? copied < 6 : copied > plain.payload.count, "turn \(turn)")
    }
    // Whom it is not for gets a notice under the same number.
    let notice = try #require(packet { talker.writeNotice(into: &$0) })
    #expect(notice.payload.count == 1 && notice.header.run == 0 && !notice.header.marker)
    #expect(notice.header.sequenceNumber == sent.header.sequenceNumber)
    #expect(notice.header.audioLevel?.levelDBov == -127)
    talker.breakRun(of: 0)
    #expect(say(talker))
    #expect(try #require(packet(of: 0, talker)).header.run == 0)
    // A pause is told to all, so what comes after it follows what went to all.
    talker.aim(0, at: [.everyone, LineSet(rawValue: 8)])
    #expect(talker.audience(of: 0) == LineSet(line: 5))
    #expect(say(talker))
    sent = try #require(packet(of: 0, talker))
    #expect(sent.header.run == 0 && talker.audience(of: 0) == nil)
    #expect(say(talker))
    #expect(try #require(packet(of: 0, talker)).header.run == 1)
  }
}
