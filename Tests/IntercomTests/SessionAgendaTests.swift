import EventLoop
import Media
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// A member is looked at when something of it is due, and not before.
@Suite struct SessionAgendaTests {
  private let agenda = SessionAgenda()
  private let session: Session
  private let path: Path

  init() {
    session = Session(
      Member(node: .named("b"), name: "B", addresses: []), nowNanoseconds: 0, on: agenda)
    path = Path(
      to: .host(2), isTold: true,
      reports: PeerReports(ssrc: SSRC(rawValue: 1), canonicalName: "a", name: "A", seed: 1),
      nowNanoseconds: 0)
    session.add(path)
  }

  /// One turn in which nothing but reports was due.
  private func rest(_ now: Int64) {
    var report = [UInt8](repeating: 0, count: 1200)
    var span = report.mutableSpan
    var bytes = unsafe span.mutableBytes
    if path.reports.nextReportNanoseconds <= now {
      _ = path.reports.makeReport(nowNanoseconds: now, into: &bytes) { _ in
        SenderCounters(
          packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
      } losses: { _ in
        nil
      }
    }
    agenda.begin()
    session.rest(nowNanoseconds: now)
    agenda.note(session.dueNanoseconds)
  }

  @Test func `nobody looks before the next report is due`() {
    #expect(agenda.isDue(nowNanoseconds: 0))
    rest(0)
    let next = path.reports.nextReportNanoseconds
    #expect(next > 700_000_000)
    #expect(!agenda.isDue(nowNanoseconds: next - 1) && agenda.isDue(nowNanoseconds: next))
  }

  @Test func `what is asked for, a new path and what is heard from elsewhere is looked at`() {
    for event in [
      { session.hasten() }, { session.add(path) },
      { session.isHeard(by: path, sendingMedia: true, nowNanoseconds: 1) },
    ] {
      rest(0)
      #expect(!agenda.isDue(nowNanoseconds: 1_000_000))
      event()
      #expect(agenda.isDue(nowNanoseconds: 1) && session.dueNanoseconds <= 1)
    }
  }

  @Test func `a path that answered is looked at when it may be gone`() {
    rest(0)
    path.answers()
    path.isHeard(sendingMedia: false, nowNanoseconds: 10)
    let gone = 10 + Path.Limit.unconfirmedNanoseconds
    #expect(!path.isGone(isSpare: false, nowNanoseconds: gone))
    #expect(path.isGone(isSpare: false, nowNanoseconds: gone + 1))
    // The next report after this is due later than that.
    rest(2_900_000_000)
    #expect(session.dueNanoseconds == gone + 1)
    #expect(!agenda.isDue(nowNanoseconds: gone) && agenda.isDue(nowNanoseconds: gone + 1))
    #expect(path.dueNanoseconds(carries: true, isSpare: false) > gone + 1)
  }
}
