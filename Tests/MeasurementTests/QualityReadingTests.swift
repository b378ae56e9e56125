import StatusSchema
import TestKit
import Testing

/// What is counted of a call over a bad network.
@Suite struct QualityReadingTests {
  /// A tenth of the packets is lost while they last 10 ms, and a tenth while they last 60.
  @Test func `shares are of the packets that were however long they are`() {
    var first = PeerStatus(name: "A", address: "10.0.0.1:5004")
    (first.received, first.lost) = (500, 20)
    var last = first
    last.received += 900 + 150
    last.lost += 100 + 17
    last.late += 105
    let reading = QualityReading(
      expected: [], statuses: [first, last], packets: 0, octets: 0, seconds: 20, xruns: 0)
    #expect(abs(reading.share(\.lost) - 10) < 0.1)
    #expect(abs(reading.share(\.late) - 9) < 0.1)
  }

  @Test func `of nothing there is no share`() {
    let status = PeerStatus(name: "A", address: "10.0.0.1:5004")
    let reading = QualityReading(
      expected: [], statuses: [status, status], packets: 0, octets: 0, seconds: 20, xruns: 0)
    #expect(reading.share(\.lost).isNaN)
  }
}
