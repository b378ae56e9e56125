import RTP
import TestKit
import Testing

@testable import Media

@Suite struct LossPatternTests {
  static let ssrc = SSRC(rawValue: 2)

  /// A report's two blocks, as a receiver writes them and a sender reads them.
  static func report(
    to pattern: inout LossPattern, begin: Int, came: ArraySlice<Bool>, heard: ArraySlice<Bool>,
    atSeconds seconds: Int64 = 0
  ) {
    var bytes = [UInt8](repeating: 0, count: 1200)
    var count = 0
    do {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      var writer = RTCPCompoundWriter()
      writer.report(from: SSRC(rawValue: 1), info: nil, block: nil, into: &raw)
      for (kind, good) in [(LossRuns.Kind.received, came), (.repaired, heard)] {
        writer.lossRuns(
          kind, from: SSRC(rawValue: 1), of: ssrc,
          begin: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: begin)), count: good.count,
          into: &raw
        ) { good[good.startIndex + $0] }
      }
      count = writer.byteCount
    }
    let datagram = unsafe bytes.span.bytes.extracting(..<count)
    var (received, repaired): (LossRuns?, LossRuns?)
    try? RTCPCompound.forEachPacket(in: datagram) { packet in
      guard case .extendedReport(let report) = packet else { return }
      received = received ?? report.lossRuns(.received, of: ssrc, in: datagram)
      repaired = repaired ?? report.lossRuns(.repaired, of: ssrc, in: datagram)
    }
    guard let received, let repaired else { return }
    pattern.add(
      received: received, repaired: repaired, bytes: datagram,
      nowNanoseconds: seconds * 1_000_000_000)
  }

  private static func unrepaired(_ lost: [Bool], packets: Int, near: Int, far: Int) -> Int {
    let end = lost.count - RepairRecipe.greatestDistance
    return (max(0, end - packets)..<max(0, end)).count { index in
      lost[index] && (near == 0 || lost[index + near]) && (far == 0 || lost[index + far])
    }
  }

  @Test func `any history agrees with a plain model`() {
    for seed in Seeds.first(60) {
      var random = SplitMix64(seed: seed)
      let loss = random.unit() * 0.5
      let first = Int(random.next() % 65_536)
      let came = (0..<Int(random.next() % 6000)).map { _ in !random.chance(loss) }
      let heard = came.map { $0 ? !random.chance(0.02) : random.chance(0.5) }
      var pattern = LossPattern()
      var told = 0
      while told < came.count {
        // Some reports begin again with what the last one told.
        let begin = max(0, told - (random.chance(0.2) ? Int(random.next() % 50) : 0))
        let end = min(came.count, told + 1 + Int(random.next() % 500))
        Self.report(
          to: &pattern, begin: first + begin, came: came[begin..<end], heard: heard[begin..<end])
        told = end
      }
      #expect(pattern.total == came.count, "seed \(seed)")
      #expect(pattern.count <= LossPattern.capacity)
      let kept = Array(came.suffix(pattern.count)).map { !$0 }
      for packets in [100, 1000, pattern.count] {
        let summary = pattern.summary(packets: packets)
        let lost = kept.suffix(packets)
        #expect(summary.lost == lost.count { $0 }, "seed \(seed)")
        #expect(summary.unheard == heard.suffix(min(packets, kept.count)).count { !$0 })
        for distances in LossEstimate.distances {
          let counted = pattern.unrepaired(
            packets: packets, nearDistance: distances.near, farDistance: distances.far)
          let wanted = Self.unrepaired(
            kept, packets: packets, near: distances.near, far: distances.far)
          #expect(counted == wanted, "seed \(seed), \(distances), \(packets)")
        }
      }
    }
  }

  /// The network swaps reports as it swaps packets.
  @Test func `a report that was overtaken tells nothing new`() {
    var pattern = LossPattern()
    let (good, bad) = (
      [Bool](repeating: true, count: 100)[...], [Bool](repeating: false, count: 100)[...]
    )
    Self.report(to: &pattern, begin: 65_400, came: bad, heard: bad)
    Self.report(to: &pattern, begin: 65_500, came: good, heard: good)
    for begin in [65_400, 65_450, 65_300, 65_500] {
      Self.report(to: &pattern, begin: begin, came: bad, heard: bad)
    }
    #expect(pattern.total == 200)
    #expect(pattern.summary(packets: 100).lost == 0)
    Self.report(to: &pattern, begin: 65_600, came: good, heard: good)
    #expect(pattern.total == 300)
    // So far back it is another count of packets.
    Self.report(to: &pattern, begin: 65_600 - LossPattern.capacity, came: bad, heard: bad)
    #expect(pattern.total == 400)
  }

  /// A storm before a pause, in which a packet comes now and then, is over as soon as one without.
  @Test(arguments: [3, 100])
  func `loss is of the last seconds however few the packets`(packetsPerSecond: Int) {
    var pattern = LossPattern()
    var begin = 0
    let shares = (Int64(0)..<60).map { second in
      let count = second < 20 ? 100 : packetsPerSecond
      let came = (0..<count).map { second >= 20 || $0 % 4 != 0 }[...]
      Self.report(to: &pattern, begin: begin, came: came, heard: came, atSeconds: second)
      begin += count
      return LossEstimate(
        pattern, framesPerPacket: 480, nowNanoseconds: second * 1_000_000_000
      ).lostShare
    }
    #expect(abs(shares[19] - 0.25) < 0.02)
    #expect(shares[25] > 0.02)
    #expect(shares[33...].allSatisfy { $0 == 0 }, "\(shares)")
  }

  @Test func `another stream begins anew`() {
    var pattern = LossPattern()
    let good = [Bool](repeating: true, count: 100)[...]
    Self.report(to: &pattern, begin: 60_000, came: good, heard: good)
    Self.report(to: &pattern, begin: 10, came: good, heard: good)
    #expect(pattern.total == 200)
    // The same report once more tells nothing.
    Self.report(to: &pattern, begin: 10, came: good, heard: good)
    #expect(pattern.total == 200)
  }
}
