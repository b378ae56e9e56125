import Testing

@testable import Intercom

/// Whose doing it is when sound comes too late: the loop asked to run at 10 ms, 0.5 ms before the beat it decodes for.
@Suite struct PunctualityTests {
  private static let due: Int64 = 10_000_000
  private static let lead: Int64 = 500_000

  /// What is said of sound that is ready `ready` after the moment asked for.
  ///
  /// - Parameters:
  ///   - ended: when the wake-up before ended, which had begun 1 ms before it was to.
  ///   - heldBefore: for how long of it the thread did not run.
  ///   - held: the same of this one.
  ///   - ranBetween: what the thread did besides since then.
  private func cause(
    wokenAfter late: Int64, readyAfter ready: Int64, endedAfter ended: Int64 = -1_000_000,
    heldBefore: Int64 = 0, held: Int64 = 0, ranBetween: Int64 = 0
  ) -> UnderrunCause {
    let began = Self.due - 1_000_000
    let ran = Self.due + ended - began - heldBefore
    var punctuality = Punctuality()
    punctuality.end(
      atNanoseconds: began, cpuNanoseconds: 7_000_000, dueNanoseconds: .max, leadNanoseconds: 0)
    punctuality.begin(atNanoseconds: began)
    punctuality.end(
      atNanoseconds: Self.due + ended, cpuNanoseconds: 7_000_000 + ran,
      dueNanoseconds: Self.due, leadNanoseconds: Self.lead)
    punctuality.begin(atNanoseconds: Self.due + late)
    return punctuality.cause(
      atNanoseconds: Self.due + ready,
      cpuNanoseconds: 7_000_000 + ran + ranBetween + ready - late - held)
  }

  @Test func `too much work is ours`() {
    #expect(cause(wokenAfter: 40_000, readyAfter: 600_000) == .work)
  }

  @Test func `a thread that did not run is the machines`() {
    #expect(cause(wokenAfter: 2_000_000, readyAfter: 2_300_000) == .wakeUps)
    #expect(cause(wokenAfter: 40_000, readyAfter: 900_000, held: 600_000) == .wakeUps)
  }

  @Test func `what would have been too late anyway is ours`() {
    #expect(cause(wokenAfter: 2_000_000, readyAfter: 2_700_000) == .work)
    #expect(cause(wokenAfter: 40_000, readyAfter: 1_300_000, held: 600_000) == .work)
  }

  @Test func `a wake up that is as late as any is no excuse`() {
    #expect(cause(wokenAfter: 100_000, readyAfter: 520_000) == .work)
  }

  @Test func `a thread that did not run is not asked for more haste than its lead allows`() {
    #expect(cause(wokenAfter: 20_000_000, readyAfter: 20_430_000) == .wakeUps)
  }

  @Test func `work of the wake up before is ours`() {
    #expect(
      cause(wokenAfter: 1_000_000, readyAfter: 1_100_000, endedAfter: 950_000) == .work)
  }

  @Test func `unless it was held up`() {
    let late = cause(
      wokenAfter: 1_000_000, readyAfter: 1_100_000, endedAfter: 950_000, heldBefore: 900_000)
    #expect(late == .wakeUps)
  }

  @Test func `what the thread did between is ours`() {
    #expect(cause(wokenAfter: 400_000, readyAfter: 500_000, ranBetween: 600_000) == .work)
    #expect(cause(wokenAfter: 400_000, readyAfter: 500_000, ranBetween: 200_000) == .wakeUps)
  }

  @Test func `sound that was there at its beat is not late`() {
    #expect(cause(wokenAfter: 40_000, readyAfter: 200_000) == .callbacks)
  }

  @Test func `who did not ask to run is not late`() {
    var punctuality = Punctuality()
    punctuality.end(
      atNanoseconds: 0, cpuNanoseconds: 0, dueNanoseconds: .max, leadNanoseconds: Self.lead)
    punctuality.begin(atNanoseconds: Self.due)
    #expect(punctuality.cause(atNanoseconds: Self.due, cpuNanoseconds: 0) == .callbacks)
  }

  @Test func `causes are counted in periods`() {
    var causes = UnderrunCauses()
    #expect(causes.periods(ofFrames: 64) == [:])
    causes.add(640, .wakeUps)
    causes.add(32, .work)
    #expect(causes.periods(ofFrames: 64) == ["wakeUps": 10, "work": 1])
  }
}
