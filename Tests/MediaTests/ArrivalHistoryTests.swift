import TestKit
import Testing

@testable import Media

/// What 12 seconds of arrivals say.
@Suite struct ArrivalHistoryTests {
  private static let packetNanoseconds: Int64 = 10_000_000
  private static let millisecond: Int64 = 1_000_000

  /// Lets packets come, each with the transit that `transit` says of its number.
  private func feed(
    _ history: inout ArrivalHistory, _ numbers: Range<Int>, transit: (Int) -> Int64
  ) {
    for number in numbers {
      let transit = transit(number)
      history.add(
        transitNanoseconds: transit, at: Int64(number) * Self.packetNanoseconds + transit)
    }
  }

  @Test func `a short time tells nothing`() {
    var history = ArrivalHistory()
    feed(&history, 0..<399) { _ in Self.millisecond }
    #expect(history.transitNanoseconds == nil)
  }

  @Test func `what is known of a talk is forgotten in the silence after it`() {
    var history = ArrivalHistory()
    feed(&history, 0..<2000) { _ in Self.millisecond }
    #expect(history.transitNanoseconds != nil)
    // A keep-alive each 400 ms.
    for number in 50..<100 { feed(&history, number * 40..<number * 40 + 1) { _ in 0 } }
    #expect(history.transitNanoseconds == nil)
    #expect(!history.isVaried)
  }

  @Test(arguments: [0, 5_000_000_000, -7_000_000_000] as [Int64])
  func `a calm link is known to the millisecond`(origin: Int64) throws {
    var history = ArrivalHistory()
    feed(&history, 0..<2000) { origin + Int64($0 % 3) * 400_000 }
    let transit = try #require(history.transitNanoseconds) - origin
    #expect((800_000...1_800_000).contains(transit))
    #expect(!history.isVaried)
  }

  @Test func `as many are late as are wanted and no more`() throws {
    var random = SplitMix64(seed: 5)
    var history = ArrivalHistory()
    var late = 0
    for number in 0..<60_000 {
      // Now and then a packet is delayed by up to 100 ms, all others by up to 10.
      let most = random.chance(0.02) ? 100 : 10
      let transit = Int64.random(in: 0..<Int64(most) * Self.millisecond, using: &random)
      if number > 2000, transit > (history.transitNanoseconds ?? 0) { late += 1 }
      feed(&history, number..<number + 1) { _ in transit }
    }
    #expect(history.isVaried)
    #expect((60...400).contains(late), "of 58 000 0.5 % are 290")
  }

  @Test func `who wants fewer late packets waits longer`() throws {
    let transits = try [0.05, 0.005, 0.000_5].map { share in
      var random = SplitMix64(seed: 5)
      var history = ArrivalHistory(lateShare: share)
      for number in 0..<2000 {
        // One packet in 14 is delayed by up to 100 ms, evenly; all others by up to 10.
        let most = random.chance(0.07) ? 100 : 10
        let transit = Int64.random(in: 0..<Int64(most) * Self.millisecond, using: &random)
        feed(&history, number..<number + 1) { _ in transit }
      }
      #expect(history.isVaried)
      return try #require(history.transitNanoseconds) / Self.millisecond
    }
    #expect((15...60).contains(transits[0]), "5 of the 7 % are above 29 ms")
    #expect((80...102).contains(transits[1]), "0.5 % are above 93 ms")
    #expect(transits[1] < transits[2])
  }

  /// Wherever in a second it begins.
  @Test(arguments: Array(stride(from: 1000, to: 1100, by: 7)))
  func `one stall is no habit`(begin: Int) throws {
    var history = ArrivalHistory()
    feed(&history, 0..<2000) {
      (begin..<begin + 20).contains($0) ? Int64(begin + 20 - $0) * Self.packetNanoseconds : 0
    }
    #expect(!history.isVaried)
    #expect(try #require(history.transitNanoseconds) <= 2 * Self.millisecond)
  }

  /// Guests' packets, of which ever so few may be late; stalls of 80 ms.
  @Test func `where packets are held up one stall is no habit, the next soon after is`() throws {
    var history = ArrivalHistory()
    history.expectHoldUps(lateShare: 0.0005)
    // The last two are one moment; the fourth comes soon after the third.
    let stalls = [1050, 2995, 8000, 9900, 15_000, 15_220]
    func transit(_ number: Int) -> Int64 {
      let left = stalls.compactMap { (0..<8).contains(number - $0) ? $0 + 8 - number : nil }.first
      return Int64(number % 10 + (left ?? 0) * 10) * Self.millisecond
    }
    for (begin, end, isWaitedFor) in [
      (0, 1300, false), (1300, 3200, true), (3200, 5000, false), (5000, 8300, false),
      (8300, 10_200, true), (10_200, 12_000, false),
      (12_000, 15_600, false),
    ] {
      feed(&history, begin..<end, transit: transit)
      let known = try #require(history.transitNanoseconds) / Self.millisecond
      // Though not for all of it.
      #expect(isWaitedFor == (known > 25), "\(known) ms after \(end) packets")
      #expect((9...40).contains(known), "\(known) ms after \(end) packets")
    }
  }

  @Test func `a stall at the beginning is none either`() throws {
    var history = ArrivalHistory()
    history.expectHoldUps(lateShare: 0.0005)
    feed(&history, 0..<600) {
      100..<120 ~= $0 ? Int64(120 - $0) * Self.packetNanoseconds : Int64($0 % 10) * Self.millisecond
    }
    #expect(try #require(history.transitNanoseconds) < 20 * Self.millisecond)
  }

  @Test func `hold-ups of a round trip are waited for, be they as seldom`() throws {
    var history = ArrivalHistory()
    history.expectHoldUps(lateShare: 0.0005)
    feed(&history, 0..<1100) { $0 == 1000 ? 25 * Self.millisecond : Int64($0 % 3) * 400_000 }
    #expect(try #require(history.transitNanoseconds) > 24 * Self.millisecond)
  }

  @Test func `a storm is forgotten after twelve seconds`() throws {
    var history = ArrivalHistory()
    feed(&history, 0..<1000) { 800..<1000 ~= $0 ? 90 * Self.millisecond : 0 }
    #expect(history.isVaried)
    #expect(try #require(history.transitNanoseconds) > 80 * Self.millisecond)
    feed(&history, 1000..<2330) { _ in 0 }
    #expect(!history.isVaried)
    #expect(try #require(history.transitNanoseconds) <= 2 * Self.millisecond)
  }

  @Test(arguments: [-500_000_000, -90_000_000, 90_000_000, 500_000_000] as [Int64])
  func `a shift is the new habit after twelve seconds`(shift: Int64) throws {
    var history = ArrivalHistory()
    feed(&history, 0..<1000) { _ in 0 }
    feed(&history, 1000..<4000) { _ in shift }
    let transit = try #require(history.transitNanoseconds)
    #expect(!history.isVaried)
    #expect(abs(transit - shift) <= 2 * Self.millisecond)
  }

  @Test func `a clock that drifts is followed`() throws {
    var history = ArrivalHistory()
    for parts in [500, -500] as [Int64] {
      history.clear()
      feed(&history, 0..<60_000) { Int64($0) * Self.packetNanoseconds / 1_000_000 * parts }
      let last = 60_000 * Self.packetNanoseconds / 1_000_000 * parts
      let lag = try #require(history.transitNanoseconds) - last
      #expect((0...9 * Self.millisecond).contains(lag), "a window of 6 ms, and a class or two")
    }
  }

  @Test func `strange times do no harm for long`() throws {
    var random = SplitMix64(seed: 9)
    var history = ArrivalHistory()
    var now: Int64 = 0
    for _ in 0..<20_000 {
      now += Int64.random(in: 0...40_000_000, using: &random)
      let size = Int64(1) << Int64.random(in: 0...40, using: &random)
      history.add(transitNanoseconds: Int64.random(in: -size...size, using: &random), at: now)
    }
    let next = Int(now / Self.packetNanoseconds) + 1
    feed(&history, next..<next + 3000) { _ in 7 * Self.millisecond }
    let transit = try #require(history.transitNanoseconds)
    #expect(abs(transit - 8 * Self.millisecond) <= Self.millisecond)
  }
}
