import Media
import RTP
import TestKit
import Testing

@Suite struct TalkerCopiesTests {
  /// A packet with copies, read.
  struct Sent: Equatable {
    var payloadType: UInt8
    var sequence: UInt16
    var primary: [UInt8]
    var copies: [Copy] = []

    struct Copy: Equatable {
      var offset: Int
      var payload: [UInt8]
    }
  }

  private let encoder = ToneCodec.Encoder()
  private let lean = ToneCodec.Encoder()

  private func talker(usesDTX: Bool = false, frames: Int = 480) -> Talker {
    Talker(
      configuration: TalkerConfiguration(
        ssrc: SSRC(rawValue: 77), framesPerPacket: frames,
        firstSequenceNumber: SequenceNumber(rawValue: 65_534),
        firstTimestamp: RTPTimestamp(rawValue: .max - 500), usesDTX: usesDTX),
      encoder: encoder, leanEncoder: lean)
  }

  private func say(_ talker: Talker, _ index: Int, amplitude: Float = 0.5, frames: Int = 480)
    -> Bool
  {
    encoder.nextIndex = Int64(index)
    lean.nextIndex = Int64(1000 + index)
    let pcm = (0..<Int64(frames)).map { amplitude * ToneCodec.tone(at: $0) }
    return talker.encode(pcm.span)
  }

  private func datagram(_ capacity: Int = 1500, _ fill: (inout MutableRawSpan) -> Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: capacity)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let count = fill(&raw)
    return Array(bytes[..<count])
  }

  private func write(_ recipe: RepairRecipe, _ talker: Talker, capacity: Int = 1500) -> Sent? {
    let bytes = datagram(capacity) { talker.write(recipe, into: &$0) }
    let span = unsafe bytes.span.bytes
    guard let packet = try? RTPPacket(parsing: span) else { return nil }
    var sent = Sent(
      payloadType: packet.header.payloadType, sequence: packet.header.sequenceNumber.rawValue,
      primary: Array(bytes[packet.payload]))
    guard sent.payloadType == 112 else { return sent }
    guard let redundant = try? RedundantPayload(packet.payload, in: span) else { return nil }
    sent.primary = Array(bytes[redundant.primary])
    redundant.forEachCopy(in: span) { copy in
      sent.copies.append(.init(offset: copy.timestampOffset, payload: Array(bytes[copy.payload])))
    }
    return sent
  }

  @Test func `copies are those of the packets that many before`() throws {
    let talker = talker()
    var plain: [[UInt8]] = []
    let recipe = RepairRecipe(nearDistance: 1, farDistance: 3)
    for index in 0..<100 {
      #expect(say(talker, index))
      let sent = try #require(write(recipe, talker))
      let wanted = [3, 1].filter { $0 <= index }
      #expect(sent.copies.map(\.offset) == wanted.map { $0 * 480 })
      #expect(sent.copies.map(\.payload) == wanted.map { plain[index - $0] })
      #expect(sent.sequence == 65_534 &+ UInt16(index))
      let single = try #require(write(.plain, talker))
      #expect(single.payloadType == 111 && single.primary == sent.primary)
      #expect(single.sequence == sent.sequence)
      plain.append(single.primary)
    }
    #expect(talker.counters.packets == 100)
  }

  @Test func `copies at the low rate are coded beside and full ones stand in until they are`()
    throws
  {
    let talker = talker()
    let recipe = RepairRecipe(copies: .lean, nearDistance: 1)
    #expect(say(talker, 0))
    let full = try #require(write(.plain, talker)).primary
    talker.codesLean = true
    #expect(say(talker, 1))
    #expect(try #require(write(recipe, talker)).copies.first?.payload == full)
    #expect(say(talker, 2))
    let leanPrimary = try #require(write(RepairRecipe(primary: .lean), talker)).primary
    let copy = try #require(write(recipe, talker)?.copies.first)
    #expect(copy.payload[2] == UInt8(truncatingIfNeeded: 1001))
    #expect(leanPrimary[2] == UInt8(truncatingIfNeeded: 1002))
  }

  @Test func `a pause is not bridged by copies`() throws {
    let talker = talker(usesDTX: true)
    let recipe = RepairRecipe(nearDistance: 1, farDistance: 2)
    for index in 0..<5 { #expect(say(talker, index)) }
    var sentInPause = 0
    for index in 5..<135 where say(talker, index, amplitude: 0) {
      sentInPause += 1
      _ = try #require(write(recipe, talker))
    }
    #expect(sentInPause > 30)
    #expect(say(talker, 200))
    #expect(try #require(write(recipe, talker)).copies.isEmpty)
    #expect(say(talker, 201))
    #expect(try #require(write(recipe, talker)).copies.map(\.offset) == [480])
  }

  @Test func `what does not fit is left out the farthest first`() throws {
    let talker = talker()
    for index in 0..<5 { #expect(say(talker, index)) }
    let recipe = RepairRecipe(nearDistance: 1, farDistance: 2)
    let payload = ToneCodec.payloadBytes
    // The header has a level and no lines.
    let whole = RTPHeader.fixedByteCount + 8 + 9 + 3 * payload
    #expect(try #require(write(recipe, talker, capacity: whole)).copies.count == 2)
    #expect(try #require(write(recipe, talker, capacity: whole - 1)).copies.map(\.offset) == [480])
    #expect(
      try #require(write(recipe, talker, capacity: whole - 5 - payload)).copies.isEmpty)
    #expect(write(recipe, talker, capacity: 25) == nil)
  }

  @Test func `sixty millisecond packets carry copies as far as the header tells`() throws {
    let talker = talker(frames: 2880)
    for index in 0..<6 { #expect(say(talker, index, frames: 2880)) }
    let sent = try #require(write(RepairRecipe(nearDistance: 3, farDistance: 4), talker))
    #expect(sent.copies.map(\.offset) == [4 * 2880, 3 * 2880])
  }

  @Test func `a packet is sent again in a stream of its own`() throws {
    let talker = talker()
    #expect(say(talker, 0))
    let original = try #require(write(.plain, talker)).primary
    for index in 1..<64 { #expect(say(talker, index)) }
    let wanted = SequenceNumber(rawValue: 65_534)
    for turn in 0..<2 {
      let bytes = datagram { talker.writeResent(wanted, into: &$0) }
      let packet = try RTPPacket(parsing: unsafe bytes.span.bytes)
      #expect(packet.header.payloadType == 113)
      #expect(packet.header.ssrc.rawValue == ~77)
      #expect(packet.header.timestamp.rawValue == UInt32.max - 500)
      #expect(Array(bytes[packet.payload]) == [0xFF, 0xFE] + original)
      #expect(talker.counters.resentPackets == turn + 1)
    }
    #expect(say(talker, 64))
    #expect(datagram { talker.writeResent(wanted, into: &$0) }.isEmpty)
    let future = SequenceNumber(rawValue: 1000)
    #expect(datagram { talker.writeResent(future, into: &$0) }.isEmpty)
  }
}
