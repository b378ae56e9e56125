import RTP
import TestKit
import Testing

@testable import Media

@Suite struct RepairSessionTests {
  /// A session with a receiver that reports so many times a second.
  private static func session(
    reportsPerSecond: Int, seconds: Int, roundTrip: (_ second: Int) -> Int64
  ) -> RepairSession {
    let session = RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var time: RoundTripTime?
    for report in 0..<seconds * reportsPerSecond {
      let reading = roundTrip(report / reportsPerSecond) * 1_000_000
      if time == nil {
        time = RoundTripTime(firstNanoseconds: reading)
      } else {
        time?.add(nanoseconds: reading)
      }
      session.observe(
        LossPattern(), roundTrip: time, riseBackNanoseconds: 0, sentBitsPerSecond: 64_000,
        nowNanoseconds: Int64(report) * 1_000_000_000 / Int64(reportsPerSecond))
    }
    return session
  }

  /// Patience is in seconds, however often somebody reports.
  @Test(arguments: [1, 5, 50])
  func manyReportsASecondCountAsOne(reportsPerSecond: Int) {
    let session = Self.session(reportsPerSecond: reportsPerSecond, seconds: 14) {
      $0 < 10 ? 20 : 20 + 100 * Int64($0 - 9)
    }
    // Two reductions within four seconds at most.
    #expect(session.budgetBitsPerSecond < 64_000)
    #expect(session.budgetBitsPerSecond > 15_000, "\(session.budgetBitsPerSecond)")
  }
}
