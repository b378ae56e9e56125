import Media
import RTP
import TestKit
import Testing

@Suite struct ReceptionStatisticsTests {
  private static let source = SSRC(rawValue: 9)
  private static let millisecond: Int64 = 1_000_000

  private static func header(_ sequence: Int, timestamp: Int = 0) -> RTPHeader {
    RTPHeader(
      marker: false, payloadType: 111,
      sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: sequence)),
      timestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: timestamp)), ssrc: source)
  }

  /// Feeds sequence numbers in this order and returns which were valid.
  @discardableResult
  private static func feed(_ sequence: [Int], to statistics: inout ReceptionStatistics) -> [Bool] {
    sequence.map { statistics.receive(header($0), arrivalNanoseconds: 0) }
  }

  private static func block(_ statistics: inout ReceptionStatistics) -> ReportBlock {
    statistics.makeBlock(on: source, lastSR: 0, delaySinceLastSR: 0)
  }

  /// RFC 3550 A.1: "MIN_SEQUENTIAL packets have been received in sequence".
  @Test func `a source is valid from the second packet in sequence`() {
    var statistics = ReceptionStatistics()
    #expect(Self.feed([10, 12, 13, 14], to: &statistics) == [false, false, true, true])
    #expect(statistics.isValid)
    #expect(statistics.expectedPackets == 2)
    #expect(statistics.receivedPackets == 2)
  }

  @Test func `a source that never comes in sequence stays on probation`() {
    var statistics = ReceptionStatistics()
    Self.feed([1, 3, 5, 7, 9, 9], to: &statistics)
    #expect(!statistics.isValid)
    #expect(statistics.expectedPackets == 0)
    #expect(statistics.cumulativeLost == 0)
    #expect(Self.block(&statistics).fractionLost == 0)
  }

  @Test func `wraps count on in the upper half of the highest sequence`() {
    var statistics = ReceptionStatistics()
    for sequence in 65_000..<(65_536 * 3 + 10) { Self.feed([sequence], to: &statistics) }
    #expect(statistics.highestSequence == 3 << 16 | 9)
    #expect(statistics.cumulativeLost == 0)
    #expect(statistics.expectedPackets == 65_536 * 3 + 10 - 65_001)
  }

  @Test func `reordered packets are received, duplicates make losses fewer`() {
    var statistics = ReceptionStatistics()
    #expect(Self.feed([1, 2, 3, 5, 4, 6], to: &statistics).dropFirst().allSatisfy { $0 })
    #expect(statistics.cumulativeLost == 0)
    Self.feed([6, 6], to: &statistics)
    #expect(statistics.cumulativeLost == -2)
    #expect(Self.block(&statistics).cumulativeLost == -2)
    #expect(Self.block(&statistics).fractionLost == 0)
  }

  /// A.1: a jump of MAX_DROPOUT (3000) is suspect, its successor proves that the sender restarted.
  @Test func `a far jump is believed with its second packet only`() {
    var statistics = ReceptionStatistics()
    Self.feed([1, 2, 3], to: &statistics)
    #expect(
      Self.feed([40_000, 4, 50_000, 50_002], to: &statistics) == [false, true, false, false])
    #expect(statistics.restarts == 0)
    #expect(Self.feed([50_003, 50_004], to: &statistics) == [true, true])
    #expect(statistics.restarts == 1)
    #expect(statistics.cumulativeLost == 0)
    #expect(statistics.highestSequence == 50_004)
  }

  @Test(arguments: [(2999, true), (3000, false), (65_436, false), (65_437, true), (65_535, true)])
  func `losses end at 3000 packets and lateness at 100`(ahead: Int, isValid: Bool) {
    var statistics = ReceptionStatistics()
    Self.feed([100, 101], to: &statistics)
    #expect(Self.feed([101 + ahead], to: &statistics) == [isValid])
  }

  /// A.3: "the fraction lost is the number lost divided by the number expected", in 1/256.
  @Test func `the fraction lost is of the interval since the last report`() {
    var statistics = ReceptionStatistics()
    Self.feed([0] + Array(1...8).filter { $0 % 4 != 3 }, to: &statistics)
    // 1...8 expected, 3 and 7 missing: 2 / 8 of 256.
    let first = Self.block(&statistics)
    #expect(first.fractionLost == 64)
    #expect(first.cumulativeLost == 2)
    Self.feed([9, 10, 11], to: &statistics)
    let second = Self.block(&statistics)
    #expect(second.fractionLost == 0)
    #expect(second.cumulativeLost == 2)
    Self.feed([1510], to: &statistics)
    #expect(Self.block(&statistics).fractionLost == 255)
    #expect(Self.block(&statistics).fractionLost == 0)
  }

  /// A.8 by hand, in scaled units: D = 160 gives 160; then each D = 0 takes (J + 8) >> 4, first 10,
  /// then 9; D = -160 adds 160 less (79 + 8) >> 4.
  ///
  /// The twelfth step tells rounding from none.
  @Test func `jitter follows the integer arithmetic of the RFC`() {
    var statistics = ReceptionStatistics()
    let late = [0, 0] + Array(repeating: 160, count: 12) + [0]
    let scaled = [0, 0, 160, 150, 141, 132, 124, 116, 109, 102, 96, 90, 84, 79, 234]
    for (index, (frames, expected)) in zip(late, scaled).enumerated() {
      // One frame at 48 kHz is 20833.3 ns: rounded up it lies within its frame.
      let arrival = (Int64(index * 960 + frames) * 1_000_000_000 + 47_999) / 48_000
      statistics.receive(Self.header(index, timestamp: index * 960), arrivalNanoseconds: arrival)
      #expect(statistics.jitter == UInt32(expected >> 4), "packet \(index)")
    }
    #expect(statistics.jitterNanoseconds == 14 * 1_000_000_000 / 48_000)
  }

  @Test func `no jitter when time stamp and clock wrap or stand far from zero`() {
    for start: Int64 in [0, 3 * 86_400_000_000_000, 400 * 86_400_000_000_000] {
      var statistics = ReceptionStatistics()
      for index in 0..<100 {
        statistics.receive(
          Self.header(index, timestamp: 0xFFFF_0000 + index * 960),
          arrivalNanoseconds: start + Int64(index) * 20 * Self.millisecond)
      }
      #expect(statistics.jitter == 0)
    }
  }

  @Test func `steady alternation settles at the mean deviation`() {
    var statistics = ReceptionStatistics()
    for index in 0..<1000 {
      let arrival = Int64(index) * 20 * Self.millisecond + Int64(index % 2) * Self.millisecond
      statistics.receive(Self.header(index, timestamp: index * 960), arrivalNanoseconds: arrival)
    }
    // §6.4.1: J moves by (|D| - J) / 16, and |D| is 1 ms throughout.
    #expect(abs(statistics.jitterNanoseconds - Self.millisecond) < Self.millisecond / 20)
  }

  @Test func `hostile headers never trap`() {
    var random = SplitMix64(seed: 5)
    for round in 0..<200 {
      var statistics = ReceptionStatistics()
      for _ in 0..<500 {
        let arrival = Int64(bitPattern: random.next())
        statistics.receive(
          Self.header(Int(random.next() >> 50), timestamp: Int(random.next() >> 32)),
          arrivalNanoseconds: round % 2 == 0 ? arrival : 0)
      }
      _ = Self.block(&statistics)
      #expect(statistics.jitter <= 0x8000_0000)
    }
  }
}
