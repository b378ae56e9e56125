import RTP
import Testing

@Suite struct RTCPCompoundWriterTests {
  private static let ssrc = SSRC(rawValue: 1)
  private static let info = SenderInfo(
    ntp: NTPTimestamp(rawValue: 1 << 40), rtpTimestamp: RTPTimestamp(rawValue: 48_000),
    packetCount: 100, octetCount: 8000)
  private static let block = ReportBlock(
    ssrc: SSRC(rawValue: 2), fractionLost: 1, cumulativeLost: 2, highestSequence: 3, jitter: 4,
    lastSR: 5, delaySinceLastSR: 6)
  private static let echo = ExtendedReport.Echo(
    ssrc: SSRC(rawValue: 2), lastRR: 1, delaySinceLastRR: 2)

  private static func everything(capacity: Int, name: [UInt8]) -> [UInt8] {
    compound(capacity: capacity) { writer, bytes in
      writer.report(from: ssrc, info: info, block: block, into: &bytes)
      writer.sourceDescription(
        of: ssrc, canonicalName: name.span, name: name.span, into: &bytes)
      writer.extendedReport(from: ssrc, referenceTime: info.ntp, echo: echo, into: &bytes)
      writer.bye(of: ssrc, into: &bytes)
    }
  }

  @Test func `what is written is read back`() throws {
    let bytes = Self.everything(capacity: 1500, name: Array("node".utf8))
    let packets = try parseCompound(bytes)
    #expect(packets.count == 4)
    guard case .senderReport(let ssrc, let info, let blocks) = packets[0],
      case .sourceDescription(let description) = packets[1],
      case .extendedReport(let report) = packets[2], case .bye(let goodbye) = packets[3]
    else {
      Issue.record("other packets: \(packets)")
      return
    }
    let span = bytes.raw
    #expect(ssrc == Self.ssrc)
    #expect(info == Self.info)
    #expect(blocks.block(at: 0, in: span) == Self.block)
    #expect(text(description.chunk(on: ssrc, in: span)?.name, of: bytes) == "node")
    #expect(report.referenceTime == Self.info.ntp)
    #expect(report.echo(to: SSRC(rawValue: 2), in: span) == Self.echo)
    #expect(goodbye.contains(ssrc, in: span) == true)
  }

  @Test func `a compound is written whole or not at all, whatever the room`() {
    let name = [UInt8](repeating: 0x6E, count: 255)
    let needed = Self.everything(capacity: 1500, name: name).count
    #expect(needed > 0)
    for capacity in 0..<needed {
      #expect(Self.everything(capacity: capacity, name: name).isEmpty, "capacity \(capacity)")
    }
    #expect(Self.everything(capacity: needed, name: name).count == needed)
  }

  @Test func `no compound grows beyond 1200 octets`() {
    let name = [UInt8](repeating: 0x6E, count: 255)
    for repetitions in 1...4 {
      let bytes = compound(capacity: 9000) { writer, bytes in
        writer.report(from: Self.ssrc, info: nil, block: nil, into: &bytes)
        for _ in 0..<repetitions {
          writer.sourceDescription(
            of: Self.ssrc, canonicalName: name.span, name: name.span, into: &bytes)
        }
      }
      #expect(bytes.isEmpty == (12 + repetitions * 520 > RTCPCompound.maximumByteCount))
    }
  }

  @Test func `texts beyond 255 octets are cut`() throws {
    let bytes = Self.everything(capacity: 1500, name: [UInt8](repeating: 0x6E, count: 400))
    guard case .sourceDescription(let description) = try parseCompound(bytes)[1] else {
      Issue.record("no source description")
      return
    }
    #expect(description.chunk(on: Self.ssrc, in: bytes.raw)?.name?.count == 255)
  }

  /// RFC 3550 §6.4.1: five bits count the blocks, so 31 are the most.
  @Test(arguments: [1, 2, 8, 31, 32])
  func `a report has as many blocks as its count can tell`(count: Int) throws {
    let written = (0..<count).map { index in
      var block = Self.block
      block.ssrc = SSRC(rawValue: UInt32(100 + index))
      return block
    }
    let bytes = compound { writer, bytes in
      writer.report(from: Self.ssrc, info: Self.info, into: &bytes)
      for block in written { writer.add(block, into: &bytes) }
      writer.report(from: SSRC(rawValue: 9), info: Self.info, into: &bytes)
    }
    guard count <= ReportBlocks.limit else {
      #expect(bytes.isEmpty)
      return
    }
    guard case .senderReport(Self.ssrc, Self.info, let blocks) = try parseCompound(bytes).first,
      case .senderReport(SSRC(rawValue: 9), Self.info, let none) = try parseCompound(bytes).last
    else {
      Issue.record("other reports")
      return
    }
    #expect(none.count == 0)
    #expect((0..<blocks.count).map { blocks.block(at: $0, in: bytes.raw) } == written)
  }

  @Test func `a block without a report before it is a mistake that sends nothing`() {
    let bytes = compound { writer, bytes in
      writer.report(from: Self.ssrc, info: nil, into: &bytes)
      writer.bye(of: Self.ssrc, into: &bytes)
      writer.add(Self.block, into: &bytes)
    }
    #expect(bytes.isEmpty)
  }

  @Test(arguments: [1, 8, 31, 32])
  func `descriptions in a row share a packet, and are found by source`(count: Int) throws {
    let bytes = compound { writer, bytes in
      writer.report(from: Self.ssrc, info: nil, into: &bytes)
      for index in 1...count {
        let name = Array("node \(index)".utf8)
        writer.sourceDescription(
          of: SSRC(rawValue: UInt32(index)), canonicalName: name.span, name: Span(), into: &bytes)
      }
      writer.bye(of: Self.ssrc, into: &bytes)
    }
    let packets = try parseCompound(bytes)
    #expect(packets.count == (count > 31 ? 4 : 3))
    guard case .sourceDescription(let description) = packets[1] else {
      Issue.record("no description")
      return
    }
    for index in 1...min(count, 31) {
      let chunk = description.chunk(on: SSRC(rawValue: UInt32(index)), in: bytes.raw)
      #expect(text(chunk?.canonicalName, of: bytes) == "node \(index)")
    }
  }
}
