import Testing

@testable import Media

/// Which packets are asked for, and when: of 10 ms, 15 ms after their beginning here as a rule, and overdue after 18.
@Suite struct NACKGeneratorTests {
  private static let usualTransitNanoseconds: Int64 = 18_000_000
  private static let first: Int64 = 1000

  private var requests = NACKGenerator()

  init() { requests.roundTripNanoseconds = 5_000_000 }

  private mutating func receive(_ sequence: Int64, isNotice: Bool = false) -> Int {
    var entry = PacketBuffer.Entry()
    entry.sequence = Self.first + sequence
    entry.startFrame = sequence * 480
    entry.durationFrames = 480
    entry.payloadBytes = isNotice ? 1 : 80
    return requests.note(entry)
  }

  /// What is asked for at a moment, in a stream that plays 100 ms after it was said.
  private mutating func asked(atMilliseconds now: Int64) -> [Int64] {
    let nanoseconds = now * 1_000_000
    requests.missOverdue(
      nowNanoseconds: nanoseconds, transitNanoseconds: Self.usualTransitNanoseconds)
    var numbers: [Int64] = []
    requests.take(
      nowNanoseconds: nanoseconds, offsetNanoseconds: 100_000_000, leadNanoseconds: 0
    ) { numbers.append($0 - Self.first) }
    return numbers
  }

  @Test mutating func whatALaterPacketTellsOfIsAskedFor() {
    #expect(receive(0) == 0)
    #expect(receive(3) == 2)
    #expect(asked(atMilliseconds: 46) == [1, 2])
  }

  @Test mutating func whatIsOverdueIsAskedForBeforeALaterPacketTells() {
    _ = receive(0)
    #expect(asked(atMilliseconds: 28).isEmpty)
    #expect(asked(atMilliseconds: 29) == [1])
  }

  @Test mutating func aLongerSilenceHasAnotherReason() {
    _ = receive(0)
    #expect(asked(atMilliseconds: 90) == [1, 2, 3])
  }

  @Test mutating func afterTheWordThatNobodyTalksNothingIsOverdue() {
    _ = receive(0, isNotice: true)
    #expect(asked(atMilliseconds: 90).isEmpty)
  }

  @Test mutating func whatIsOnlyLateIsNotLost() {
    _ = receive(0)
    #expect(asked(atMilliseconds: 29) == [1])
    #expect(receive(1) == 0)
    #expect(requests.missingCount == 0)
    #expect(receive(2) == 0)
  }

  @Test mutating func whatWasOverdueIsCountedAsMissedOnceAndAskedForOnce() {
    _ = receive(0)
    #expect(asked(atMilliseconds: 49) == [1, 2, 3])
    #expect(receive(4) == 3)
    #expect(requests.missingCount == 3)
    #expect(asked(atMilliseconds: 56).isEmpty)
    #expect(receive(2) == -1)
  }

  @Test mutating func whatCameAsAnAnswerIsNotMissedAgain() {
    _ = receive(0)
    #expect(asked(atMilliseconds: 29) == [1])
    requests.noteRepair(Self.first + 1, isAnswer: true, arrivalNanoseconds: 34_000_000)
    #expect(requests.missingCount == 0)
    #expect(asked(atMilliseconds: 37).isEmpty)
    #expect(receive(2) == 1)
    #expect(asked(atMilliseconds: 46).isEmpty)
  }
}
