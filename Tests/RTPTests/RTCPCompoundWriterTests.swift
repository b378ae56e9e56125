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
      #expect(bytes.isEmpty == (8 + repetitions * 524 > RTCPCompound.maximumByteCount))
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
}
