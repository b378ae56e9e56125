import RTP
import Testing

@Suite struct ReportBlockTests {
  private static func roundTrip(lost: Int) throws -> (bytes: [UInt8], block: ReportBlock?) {
    let block = ReportBlock(
      ssrc: SSRC(rawValue: 7), fractionLost: 0x40, cumulativeLost: lost,
      highestSequence: 0x0001_0002, jitter: 3, lastSR: 4, delaySinceLastSR: 5)
    let bytes = compound { writer, bytes in
      writer.report(from: SSRC(rawValue: 1), info: nil, block: block, into: &bytes)
    }
    guard case .receiverReport(_, let blocks) = try parseCompound(bytes).first else {
      return (bytes, nil)
    }
    return (bytes, blocks.block(on: SSRC(rawValue: 7), in: bytes.raw))
  }

  /// RFC 3550 §6.4.1: 24 bits, "may be negative".
  @Test(arguments: [
    (0, 0), (1, 1), (-1, -1), (0x7F_FFFF, 0x7F_FFFF), (-0x80_0000, -0x80_0000),
    (0x80_0000, 0x7F_FFFF), (-0x80_0001, -0x80_0000), (.max, 0x7F_FFFF), (.min, -0x80_0000),
  ])
  func `losses keep their sign and end at 24 bits`(written: Int, read: Int) throws {
    #expect(try Self.roundTrip(lost: written).block?.cumulativeLost == read)
  }

  @Test func `the octets stand as in the RFC's figure`() throws {
    #expect(
      try Self.roundTrip(lost: -2).bytes
        == octets(
          "81 C9 0007 00000001 00000007 40 FFFFFE 00010002 00000003 00000004 00000005"))
  }

  @Test func `blocks are reached by index and by source, and no further`() throws {
    let one = "40 000001 00000002 00000003 00000004 00000005"
    let bytes = octets("82 C9 000D 00000001 00000007 \(one) 00000008 \(one)")
    guard case .receiverReport(_, let blocks) = try parseCompound(bytes).first else {
      Issue.record("no receiver report")
      return
    }
    let span = bytes.raw
    #expect(blocks.count == 2)
    #expect(blocks.block(at: 0, in: span)?.ssrc.rawValue == 7)
    #expect(blocks.block(on: SSRC(rawValue: 8), in: span) == blocks.block(at: 1, in: span))
    #expect(blocks.block(on: SSRC(rawValue: 9), in: span) == nil)
    for index in [-1, 2, 31, Int.max, Int.min] { #expect(blocks.block(at: index, in: span) == nil) }
    #expect(blocks.block(at: 0, in: RawSpan()) == nil)
  }
}
