import Media
import RTP
import TestKit
import Testing

/// When reports are due, early ones and introductions among them.
@Suite struct ReportTimingTests {
  private static let start: Int64 = 1_000_000_000_000

  private static func session() -> PeerReports {
    Conversation.reports(ssrc: 1, name: "Anna", seed: 1)
  }

  @Test func `the first report is due at once`() {
    let session = Self.session()
    #expect(session.nextReportNanoseconds <= 0)
    #expect(!session.report(at: Self.start).octets.isEmpty)
    #expect(session.nextReportNanoseconds > Self.start)
  }

  /// RFC 4585 §3.5.2.
  @Test func `one report may be early between two regular ones`() {
    let session = Self.session()
    _ = session.report(at: Self.start)
    var reports: [Int64] = []
    for now in stride(from: Self.start, to: Self.start + 20_000_000_000, by: 50_000_000) {
      session.hurry(nowNanoseconds: now)
      guard session.nextReportNanoseconds <= now else { continue }
      reports.append(now - Self.start)
      _ = session.report(at: now)
    }
    #expect(reports.first == 0, "at once")
    // Regular ones are 0.75 to 1.25 s apart.
    #expect((2 * 16...2 * 27).contains(reports.count), "\(reports)")
    let gaps = zip(reports, reports.dropFirst()).map { $1 - $0 }
    #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0 + $1 >= 750_000_000 }, "\(gaps)")
  }

  @Test func `an introduction is five reports in 1.5 s, and begins once a second at most`() {
    let session = Self.session()
    _ = session.report(at: Self.start)
    var reports: [Int64] = []
    for milliseconds in Int64(500)...3_000 {
      let now = Self.start + milliseconds * 1_000_000
      // Whoever asks for it all the time gets no more of them.
      if milliseconds < 1_400 { session.introduce(nowNanoseconds: now) }
      guard session.nextReportNanoseconds <= now else { continue }
      reports.append(milliseconds - 500)
      _ = session.report(at: now)
    }
    // Once again at the latest a second after the first; then regular ones, 0.75 to 1.25 s apart.
    #expect(Array(reports.prefix(5)) == [0, 100, 300, 700, 1_500], "\(reports)")
    #expect(reports.count <= 7, "\(reports)")
  }

  @Test func `a report that does not fit is not made, and the next is due later`() {
    let session = Self.session()
    let report = ReportOctets(capacity: 20) { bytes in
      session.makeReport(
        sender: SenderCounters(
          packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0)),
        nowNanoseconds: Self.start, into: &bytes)
    }
    #expect(report.octets.isEmpty)
    #expect(session.nextReportNanoseconds > Self.start)
  }
}
