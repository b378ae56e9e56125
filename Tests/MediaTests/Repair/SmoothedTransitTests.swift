import TestKit
import Testing

@testable import Media

@Suite struct SmoothedTransitTests {
  /// The smoothed rise, `after` milliseconds after the way got 180 ms longer.
  private static func rise(
    packetMilliseconds: Int64, after: Int64, jitterMilliseconds: Double = 0
  ) -> Int64 {
    var transit = SmoothedTransit()
    var random = SplitMix64(seed: 3)
    for millisecond in stride(
      from: 0, through: 10_000 + after, by: Int(packetMilliseconds))
    {
      let step: Int64 = millisecond > 10_000 ? 180_000_000 : 0
      transit.add(
        step + Int64(random.unit() * jitterMilliseconds * 1e6),
        nowNanoseconds: millisecond * 1_000_000)
    }
    return transit.riseNanoseconds
  }

  /// As soon with a packet now and then as with hundreds a second.
  @Test(arguments: [2, 10, 20, 60, 400] as [Int64])
  func `a longer way is seen within a second or two`(packetMilliseconds: Int64) {
    #expect(Self.rise(packetMilliseconds: packetMilliseconds, after: 1600) > 150_000_000)
  }

  @Test(arguments: [2, 10, 20] as [Int64])
  func `jitter is smoothed away`(packetMilliseconds: Int64) {
    let calm = Self.rise(packetMilliseconds: packetMilliseconds, after: 0, jitterMilliseconds: 40)
    #expect((0...25_000_000).contains(calm), "\(calm)")
  }

  /// 30 packets that come at once after a stall are one stall.
  @Test func `a stall is no longer way after a second`() {
    var transit = SmoothedTransit()
    for millisecond in stride(from: Int64(0), through: 12_000, by: 10) {
      let isStalled = (10_000..<10_300).contains(millisecond)
      let arrival = isStalled ? 10_300 : millisecond
      transit.add((arrival - millisecond) * 1_000_000, nowNanoseconds: arrival * 1_000_000)
      if millisecond == 11_300 { #expect(transit.riseNanoseconds < 20_000_000) }
    }
  }
}
