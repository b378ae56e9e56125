import Testing

@testable import Intercom

@Suite struct TapCursorTests {
  private func placed(_ steps: [(estimate: Int64, isContinuous: Bool)]) -> [Int64] {
    var cursor = TapCursor()
    return steps.map { cursor.place(100, estimate: $0.estimate, isContinuous: $0.isContinuous) }
  }

  @Test func `frames that follow go on, whatever one estimate says`() {
    let steps: [(Int64, Bool)] = [(0, false), (164, true), (200, true), (236, true)]
    #expect(placed(steps) == [0, 100, 200, 300])
  }

  @Test func `after a gap the estimate counts, but not what lies before`() {
    #expect(placed([(0, false), (500, false), (536, false)]) == [0, 500, 600])
  }

  @Test func `estimates that differ in a row move the stream`() {
    let shifted = (0..<10).map { (estimate: Int64(64 + 100 * $0), isContinuous: true) }
    let result = placed([(0, false)] + shifted.map { ($0.estimate + 100, true) })
    #expect(result == (0..<8).map { Int64(100 * $0) } + [864, 964, 1064])
  }

  @Test func `after an interruption the estimate counts`() {
    var cursor = TapCursor()
    _ = cursor.place(100, estimate: 1000, isContinuous: true)
    #expect(cursor.next == 1100)
    cursor.interrupt()
    #expect(cursor.place(100, estimate: 7, isContinuous: true) == 7)
  }
}
