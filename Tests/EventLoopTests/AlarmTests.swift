import Testing

@testable import EventLoop

struct AlarmTests {
  /// How long an alarm waits that is set to this deadline.
  private static func wait(
    to deadline: Int64, now: Int64, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration {
    let (waits, said) = AsyncStream.makeStream(of: Duration.self)
    var alarm = Alarm(pause: { said.yield($0) })
    alarm.set(toNanoseconds: deadline, nowNanoseconds: now) {}
    var iterator = waits.makeAsyncIterator()
    return try #require(await iterator.next(), sourceLocation: sourceLocation)
  }

  @Test func `waits until its deadline, and not at all for one that has passed`() async throws {
    #expect(try await Self.wait(to: 5_000, now: 3_000) == .nanoseconds(2_000))
    #expect(try await Self.wait(to: 3_000, now: 5_000) == .zero)
  }

  @Test func `a deadline of the beginning of time has passed, whatever the time`() async throws {
    for now in [0, 1, Int64.max, .min] {
      #expect(try await Self.wait(to: .min, now: now) == .zero)
    }
    #expect(try await Self.wait(to: .max - 1, now: .min) > .seconds(1 << 33))
  }
}
