import Testing

@testable import Intercom

/// How long pieces of work take as a rule.
@Suite struct WorkPaceTests {
  /// A pace that knows pieces of 30 µs.
  private func settled() -> WorkPace {
    var pace = WorkPace()
    pace.mark(0)
    for index in 1...100 { pace.finish(.rendering, atNanoseconds: Int64(index) * 30_000) }
    return pace
  }

  @Test func `pieces of a kind are averaged`() {
    var pace = settled()
    #expect(pace.usualNanoseconds(.rendering) == 30_000)
    #expect(pace.usualNanoseconds(.sending) == 0)
    pace.mark(0)
    for index in 1...300 { pace.finish(.rendering, atNanoseconds: Int64(index) * 60_000) }
    #expect((59_000...60_000).contains(pace.usualNanoseconds(.rendering)))
  }

  @Test func `a piece that was held up counts for four at most`() {
    var pace = settled()
    pace.mark(0)
    pace.finish(.rendering, atNanoseconds: 30_000)
    pace.finish(.rendering, atNanoseconds: 2_060_000)
    #expect((32_000..<33_000).contains(pace.usualNanoseconds(.rendering)))
  }

  @Test func `what was done since the last rest is counted without what held it up`() {
    var pace = settled()
    pace.rest()
    #expect(pace.spentNanoseconds == 0)
    pace.mark(0)
    pace.finish(.rendering, atNanoseconds: 70_000)
    pace.finish(.rendering, atNanoseconds: 3_000_000)
    #expect((100_000..<103_000).contains(pace.spentNanoseconds))
  }

  @Test func `what lies between pieces is no piece`() {
    var pace = settled()
    pace.rest()
    #expect(!pace.isMarked)
    pace.finish(.rendering, atNanoseconds: 90_000_000)
    #expect(pace.usualNanoseconds(.rendering) == 30_000)
    #expect(pace.isMarked)
  }
}
