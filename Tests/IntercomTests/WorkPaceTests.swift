import Testing

@testable import Intercom

/// How long pieces of work take as a rule.
@Suite struct WorkPaceTests {
  /// A pace that knows pieces of 30 µs, and its clock.
  private final class Work {
    private var now: Int64 = 0
    private(set) lazy var pace = WorkPace { [unowned self] in now }

    init() {
      pace.mark(0)
      for index in 1...100 { finish(atNanoseconds: Int64(index) * 30_000) }
    }

    func finish(atNanoseconds now: Int64) {
      self.now = now
      pace.finish(.rendering)
    }
  }

  @Test func `pieces of a kind are averaged`() {
    let work = Work()
    let pace = work.pace
    #expect(pace.usualNanoseconds(.rendering) == 30_000)
    #expect(pace.usualNanoseconds(.sending) == 0)
    pace.mark(0)
    for index in 1...300 { work.finish(atNanoseconds: Int64(index) * 60_000) }
    #expect((59_000...60_000).contains(pace.usualNanoseconds(.rendering)))
  }

  @Test func `a piece that was held up counts for four at most`() {
    let work = Work()
    let pace = work.pace
    pace.mark(0)
    work.finish(atNanoseconds: 30_000)
    work.finish(atNanoseconds: 2_060_000)
    #expect((32_000..<33_000).contains(pace.usualNanoseconds(.rendering)))
  }

  @Test func `what was done since the last rest is counted without what held it up`() {
    let work = Work()
    let pace = work.pace
    pace.rest()
    #expect(pace.spentNanoseconds == 0)
    pace.mark(0)
    work.finish(atNanoseconds: 70_000)
    work.finish(atNanoseconds: 3_000_000)
    #expect((100_000..<103_000).contains(pace.spentNanoseconds))
  }

  @Test func `what lies between pieces is no piece`() {
    let work = Work()
    let pace = work.pace
    pace.rest()
    work.finish(atNanoseconds: 90_000_000)
    #expect(pace.usualNanoseconds(.rendering) == 30_000)
    // Its end is a mark; where there is none, now is one.
    pace.markIfResting()
    work.finish(atNanoseconds: 90_030_000)
    #expect(pace.usualNanoseconds(.rendering) == 30_000)
    #expect(pace.spentNanoseconds == 30_000)
  }
}
