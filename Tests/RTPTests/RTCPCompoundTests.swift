import RTP
import Testing

@Suite struct RTCPCompoundTests {
  private static let emptyReport = "80 C9 0001 00000001"
  private static let cname = "81 CA 0003 00000001 01 01 61 00 00000000"

  @Test func `a sender report tells its stream and its reception`() throws {
    let bytes = octets(
      """
      81 C8 000C 00000001 0123456789ABCDEF 00000010 00000020 00000030
      00000007 40 000001 00010002 00000003 00000004 00000005
      """)
    guard case .senderReport(let ssrc, let info, let blocks) = try parseCompound(bytes).first else {
      Issue.record("no sender report")
      return
    }
    #expect(ssrc.rawValue == 1)
    #expect(info.ntp.rawValue == 0x0123_4567_89AB_CDEF)
    #expect(info.rtpTimestamp.rawValue == 0x10)
    #expect(info.packetCount == 0x20)
    #expect(info.octetCount == 0x30)
    let blockCandidate = blocks.block(at: 0, in: bytes.raw)
    let block = try #require(blockCandidate)
    #expect(block.fractionLost == 0x40)
    #expect(block.highestSequence == 0x1_0002)
  }

  @Test func `packets come in order, unknown types and profile extensions are passed over`() throws
  {
    let bytes = octets(
      "\(Self.emptyReport) 80 D2 0002 AABBCCDD EEFF0011 80 C9 0003 00000002 11111111 22222222")
    let packets = try parseCompound(bytes)
    #expect(packets.count == 3)
    #expect(packets[1] == .other(packetType: 210, body: 12..<20))
    guard case .receiverReport(let ssrc, let blocks) = packets[2] else {
      Issue.record("no receiver report")
      return
    }
    #expect(ssrc.rawValue == 2)
    #expect(blocks.count == 0)
  }

  @Test(arguments: [
    ("", RTPParseError.compoundLength), ("80 C9 00", .compoundLength),
    ("80 C9 0001", .compoundLength), ("80 C9 FFFF 00000001", .compoundLength),
    ("\(emptyReport) 80", .compoundLength), ("\(emptyReport) 80 CA 0001 000000", .compoundLength),
    ("00 C9 0001 00000001", .version), ("\(emptyReport) 40 CA 0000", .version),
    ("80 CA 0000", .compoundStart), ("80 6F 0001 00000001", .compoundStart),
    ("80 CB 0000 \(emptyReport)", .compoundStart),
    // Padding on another than the last packet, of none, of no whole word, of more than there is.
    ("A0 C9 0002 00000001 00000004 80 CA 0000", .padding),
    ("A0 C9 0002 00000001 00000000", .padding), ("A0 C9 0002 00000001 00000003", .padding),
    ("A0 C9 0002 00000001 0000000C", .padding), ("A0 C9 0000", .padding),
    ("80 C9 0000", .report), ("81 C9 0001 00000001", .report),
    (
      "9F C9 0006 00000001"
        + String(repeating: "00000000", count: 5), .report
    ),
    ("80 C8 0005 00000001 00000000 00000000 00000000 00000000", .report),
    ("81 C8 0006 00000001 00000000 00000000 00000000 00000000 00000000", .report),
    // Padding that eats the sender's name.
    ("A0 C9 0001 00000004", .report),
    ("\(emptyReport) 81 CA 0000", .sourceDescription),
    ("\(emptyReport) 81 CA 0001 00000001", .sourceDescription),
    ("\(emptyReport) 81 CA 0002 00000001 01FF6161", .sourceDescription),
    ("\(emptyReport) 81 CA 0002 00000001 01026161", .sourceDescription),
    ("\(emptyReport) 81 CA 0002 00000001 01016101", .sourceDescription),
    ("\(emptyReport) 82 CA 0003 00000001 01016100 00000002", .sourceDescription),
    ("\(emptyReport) 9F CA 0002 00000001 00000000", .sourceDescription),
    ("\(emptyReport) 81 CB 0000", .bye), ("\(emptyReport) 9F CB 0001 00000001", .bye),
    ("\(emptyReport) 81 CB 0002 00000001 04616263", .bye),
    ("\(emptyReport) 80 CB 0001 FF000000", .bye),
    ("\(emptyReport) 80 CF 0000", .extendedReport),
    ("\(emptyReport) 80 CF 0002 00000001 04000002", .extendedReport),
    ("\(emptyReport) 80 CF 0003 00000001 04000001 00000000", .extendedReport),
    ("\(emptyReport) 80 CF 0003 00000001 05000001 00000000", .extendedReport),
    ("\(emptyReport) 80 CF 0002 00000001 FFFFFFFF", .extendedReport),
  ])
  func `a malformed compound throws its reason`(hexadecimal: String, reason: RTPParseError) {
    #expect(throws: reason) { try parseCompound(octets(hexadecimal)) }
  }

  @Test func `of an invalid compound not even the valid packets are shown`() {
    let bytes = octets("\(Self.emptyReport) \(Self.cname) 81 CB 0000")
    var shown = 0
    #expect(throws: RTPParseError.bye) {
      try RTCPCompound.forEachPacket(in: bytes.raw) { _ in shown += 1 }
    }
    #expect(shown == 0)
  }

  @Test func `padding on the last packet is taken away`() throws {
    let bytes = octets("\(Self.emptyReport) A0 D2 0003 AABBCCDD 00000000 00000008")
    #expect(try parseCompound(bytes).last == .other(packetType: 210, body: 12..<16))
  }
}
