import Testing

@testable import Media

/// What is a step of the path's delay, packet by packet.
@Suite struct DelayStepTests {
  private static let least: Int64 = 2_000_000

  /// The first verdict on packets of so many milliseconds, which take so much longer each than the least before.
  private func verdict(
    packet milliseconds: Int64, extra: [Int64], bunched: Bool = false
  ) -> DelayStep.Verdict {
    var step = DelayStep()
    for (index, extra) in extra.enumerated() {
      let media = Int64(index) * milliseconds * 1_000_000
      let last = Int64(bunched ? 0 : index) * milliseconds * 1_000_000
      let verdict = step.add(
        arrivalNanoseconds: last + Self.least + extra * 1_000_000, mediaNanoseconds: media,
        least: Self.least, most: Self.least + 1_000_000)
      if verdict != .nothing { return verdict }
    }
    return .nothing
  }

  @Test(arguments: [(10, 5), (20, 3), (40, 2), (60, 2)] as [(Int64, Int)])
  func `forty milliseconds of later sound are a step up`(milliseconds: Int64, count: Int) {
    let verdict = verdict(packet: milliseconds, extra: .init(repeating: 150, count: 20))
    #expect(verdict == .up(nanoseconds: 150_000_000, count: count))
  }

  @Test func `what is let go at once is a spike`() {
    #expect(
      verdict(packet: 10, extra: .init(repeating: 200, count: 20), bunched: true) == .nothing)
  }

  @Test func `one packet in time ends a run`() {
    #expect(verdict(packet: 10, extra: [150, 150, 150, 0, 150, 150, 150, 0]) == .nothing)
  }

  @Test func `a queue that fills is no step`() {
    #expect(verdict(packet: 10, extra: (1...20).map { 15 * $0 }) == .nothing)
  }

  @Test func `small steps are left to the rate of late packets`() {
    #expect(verdict(packet: 10, extra: .init(repeating: 9, count: 30)) == .nothing)
  }

  @Test func `a second of earlier sound is a step down`() {
    #expect(verdict(packet: 10, extra: .init(repeating: -50, count: 99)) == .nothing)
    #expect(verdict(packet: 10, extra: .init(repeating: -50, count: 110)) == .down(count: 101))
  }
}
