import RTP
import Testing

@Suite struct ExtendedReportTests {
  private static func report(_ bytes: [UInt8]) throws -> ExtendedReport {
    guard case .extendedReport(let report) = try parseCompound(bytes).last else {
      throw RTPParseError.extendedReport
    }
    return report
  }

  /// RFC 3611 §2, §4.4 (type 4, two words) and §4.5 (type 5, three words a receiver).
  @Test func `reference time and echo stand as in the RFC's figures`() throws {
    let echo = ExtendedReport.Echo(
      ssrc: SSRC(rawValue: 9), lastRR: 0xB705_2000, delaySinceLastRR: 7)
    let bytes = compound { writer, bytes in
      writer.report(from: SSRC(rawValue: 1), info: nil, block: nil, into: &bytes)
      writer.extendedReport(
        from: SSRC(rawValue: 1), referenceTime: NTPTimestamp(rawValue: 0x0123_4567_89AB_CDEF),
        echo: echo, into: &bytes)
    }
    #expect(
      bytes
        == octets(
          """
          80 C9 0001 00000001
          80 CF 0008 00000001 04 00 0002 0123456789ABCDEF 05 00 0003 00000009 B7052000 00000007
          """))
    let report = try Self.report(bytes)
    #expect(report.ssrc.rawValue == 1)
    #expect(report.referenceTime?.middleBits == 0x4567_89AB)
    #expect(report.echo(to: SSRC(rawValue: 9), in: bytes.raw) == echo)
    #expect(report.echo(to: SSRC(rawValue: 8), in: bytes.raw) == nil)
    #expect(report.echo(to: SSRC(rawValue: 9), in: RawSpan()) == nil)
  }

  @Test func `unknown blocks are passed over and the right receiver's echo is found`() throws {
    let bytes = octets(
      """
      80 C9 0001 00000001
      80 CF 000A 00000001 63 00 0001 AABBCCDD
      05 00 0006 00000002 00000003 00000004 00000005 00000006 00000007
      """)
    let report = try Self.report(bytes)
    #expect(report.referenceTime == nil)
    let echo = report.echo(to: SSRC(rawValue: 5), in: bytes.raw)
    #expect(echo?.lastRR == 6)
    #expect(echo?.delaySinceLastRR == 7)
  }

  @Test func `a report with neither is not written`() {
    let bytes = compound { writer, bytes in
      writer.extendedReport(from: SSRC(rawValue: 1), referenceTime: nil, echo: nil, into: &bytes)
    }
    #expect(bytes.isEmpty)
  }
}
