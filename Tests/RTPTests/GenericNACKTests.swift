import RTP
import TestKit
import Testing

@Suite struct GenericNACKTests {
  private static func written(_ lost: [UInt16]) -> [UInt8] {
    let numbers = lost.map { SequenceNumber(rawValue: $0) }
    return compound { writer, bytes in
      writer.genericNACK(
        from: SSRC(rawValue: 1), of: SSRC(rawValue: 2), lost: numbers.span, into: &bytes)
    }
  }

  private static func lost(in bytes: [UInt8], limit: Int = 1000) throws -> [UInt16] {
    guard case .genericNACK(let nack) = try parseFeedback(bytes).last else {
      throw RTPParseError.feedback
    }
    #expect(nack.sender.rawValue == 1 && nack.source.rawValue == 2)
    var lost: [UInt16] = []
    nack.forEachLost(in: bytes.raw, limit: limit) { lost.append($0.rawValue) }
    return lost
  }

  /// RFC 4585 §6.2.1: type 205, format 1; the mask's lowest bit is the packet after the first.
  @Test func `entries stand as in the RFC's figure`() throws {
    let bytes = Self.written([0xFFFE, 0xFFFF, 0x000E, 0x0020])
    #expect(bytes == octets("81 CD 0004 00000001 00000002 FFFE 8001 0020 0000"))
    #expect(try Self.lost(in: bytes) == [0xFFFE, 0xFFFF, 0x000E, 0x0020])
  }

  @Test func `any ascending list is read back`() throws {
    for seed in UInt64(1)...200 {
      var random = SplitMix64(seed: seed)
      var next = UInt16.random(in: 0 ... .max, using: &random)
      let lost = (0..<Int.random(in: 1...60, using: &random)).map { _ in
        next &+= UInt16.random(in: 1...40, using: &random)
        return next
      }
      #expect(try Self.lost(in: Self.written(lost)) == lost, "seed \(seed)")
    }
  }

  @Test func `no more are told than asked for`() throws {
    let bytes = octets("81 CD 0003 00000001 00000002 0000 FFFF")
    #expect(try Self.lost(in: bytes).count == 17)
    #expect(try Self.lost(in: bytes, limit: 5) == [0, 1, 2, 3, 4])
  }

  @Test func `nothing lost is nothing written`() { #expect(Self.written([]).isEmpty) }

  @Test func `alone it is no compound, unless reduced size is allowed`() throws {
    let bytes = Self.written([7])
    let isReducedSize = RTCPCompound.isReducedSize(bytes.raw)
    let kind = DatagramKind.classify(bytes.raw)
    #expect(isReducedSize && kind == .rtcp)
    #expect(throws: RTPParseError.compoundStart) { try parseCompound(bytes) }
    #expect(try parseFeedback(bytes).count == 1)
  }

  @Test(arguments: [
    "81 CD 0000", "81 CD 0002 00000001 00000002", "81 CD 0001 00000001",
  ])
  func `one that is too short is refused`(text: String) {
    let bytes = octets(text)
    #expect(throws: RTPParseError.feedback) { try parseFeedback(bytes) }
  }

  @Test func `feedback of other formats is passed over`() throws {
    let packets = try parseFeedback(octets("8F CD 0002 00000001 00000002"))
    #expect(packets == [.other(packetType: 205, body: 4..<12)])
  }
}
