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
        sent: (100 * report / reportsPerSecond, 8000 * report / reportsPerSecond),
        nowNanoseconds: Int64(report) * 1_000_000_000 / Int64(reportsPerSecond))
    }
    return session
  }

  /// A narrow way is found while somebody talks, and forgotten only when somebody talked and it proved to be wide.
  @Test(arguments: [false, true])
  func `silence proves nothing of the way`(isTalking: Bool) {
    let session = RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var time = RoundTripTime(firstNanoseconds: 20_000_000)
    var sent = (packets: 0, octets: 0)
    var budgets: [Int] = []
    for second in 0..<400 {
      let isFull = (10..<14).contains(second)
      time.add(nanoseconds: isFull ? Int64(second - 9) * 100_000_000 : 20_000_000)
      let isQuiet = second > 20 && !isTalking
      // In a pause a sign of life in 400 ms.
      sent.packets += isQuiet ? 3 : 100
      sent.octets += isQuiet ? 3 : 8000
      session.observe(
        LossPattern(), roundTrip: time, riseBackNanoseconds: 0, sentBitsPerSecond: 64_000,
        sent: sent, nowNanoseconds: Int64(second) * 1_000_000_000)
      budgets.append(session.budgetBitsPerSecond)
    }
    #expect(budgets[20] < 64_000)
    #expect(budgets[399] == (isTalking ? 96_000 : budgets[22]), "\(budgets)")
  }

  @Test func `a long way in a pause is no reason to send less`() {
    let session = RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var time = RoundTripTime(firstNanoseconds: 20_000_000)
    for second in 0..<40 {
      time.add(nanoseconds: second < 10 ? 20_000_000 : 300_000_000 + Int64(second) * 20_000_000)
      session.observe(
        LossPattern(), roundTrip: time, riseBackNanoseconds: 0, sentBitsPerSecond: 64_000,
        sent: (3 * second, 3 * second), nowNanoseconds: Int64(second) * 1_000_000_000)
    }
    #expect(session.budgetBitsPerSecond == 96_000)
  }

  /// Patience is in seconds, however often somebody reports.
  @Test(arguments: [1, 5, 50])
  func `many reports a second count as one`(reportsPerSecond: Int) {
    let session = Self.session(reportsPerSecond: reportsPerSecond, seconds: 14) {
      $0 < 10 ? 20 : 20 + 100 * Int64($0 - 9)
    }
    // Two reductions within four seconds at most.
    #expect(session.budgetBitsPerSecond < 64_000)
    #expect(session.budgetBitsPerSecond > 15_000, "\(session.budgetBitsPerSecond)")
  }
}
