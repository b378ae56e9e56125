import TestKit
import Testing

@testable import Media

@Suite struct TargetWanderTests {
  /// Takes a need each 20 ms of so many seconds.
  private static func feed(
    _ wander: inout TargetWander, seconds: Range<Int>, need: (Int) -> Int64
  ) {
    for step in seconds.lowerBound * 50..<seconds.upperBound * 50 {
      wander.add(need(step), at: Int64(step) * 20_000_000)
    }
  }

  @Test func `what stays as it is does not wander`() {
    var wander = TargetWander()
    Self.feed(&wander, seconds: 0..<60) { _ in 20_000_000 }
    #expect(wander.nanoseconds == 0)
  }

  @Test(arguments: [1_000_000, 100_000_000] as [Int64])
  func `one shift counts no more the farther it goes`(shift: Int64) {
    var wander = TargetWander()
    Self.feed(&wander, seconds: 0..<30) { $0 < 1000 ? 0 : shift }
    #expect(wander.nanoseconds <= 50_000)
  }

  @Test func `it is the usual difference of two windows`() {
    var random = SplitMix64(seed: 3)
    var wander = TargetWander()
    // Two of them are 0.29 ms apart in half of the cases.
    Self.feed(&wander, seconds: 0..<600) { _ in Int64(random.unit() * 1_000_000) }
    #expect((100_000...500_000).contains(wander.nanoseconds), "\(wander.nanoseconds)")
  }
}
