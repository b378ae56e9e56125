import Testing

@testable import Intercom

@Suite struct RecentMaximumTests {
  private var maximum = RecentMaximum(parts: 3, partNanoseconds: 10)

  @Test mutating func `the greatest value counts until its part is older than the window`() {
    maximum.add(5, nowNanoseconds: 109)
    maximum.add(7, nowNanoseconds: 112)
    maximum.add(2, nowNanoseconds: 113)
    #expect(maximum.value == 7)
    maximum.add(1, nowNanoseconds: 149)
    #expect(maximum.value == 7)
    maximum.add(0, nowNanoseconds: 150)
    #expect(maximum.value == 1)
  }

  @Test mutating func `after a long silence nothing of before counts`() {
    maximum.add(5, nowNanoseconds: 100)
    maximum.add(1, nowNanoseconds: 1_000_000)
    #expect(maximum.value == 1)
  }

  @Test func `without values it is nothing`() { #expect(maximum.value == 0) }
}
