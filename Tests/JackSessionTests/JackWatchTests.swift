import Testing

@testable import JackSession

struct JackWatchTests {
  private static let second: Int64 = 1_000_000_000
  /// How often the media loop looks.
  private static let step: Int64 = 50_000_000

  private var watch = JackWatch()
  private var facts = JackWatch.Facts(nowNanoseconds: second, state: .running, periods: 0)
  private var changes = 0

  /// Looks for that long; `changes` counts what is told.
  private mutating func look(
    forSeconds seconds: Double, step: Int64 = step,
    _ change: (inout JackWatch.Facts) -> Void = { _ in }
  ) {
    let end = facts.nowNanoseconds + Int64(seconds * 1e9)
    while facts.nowNanoseconds < end {
      facts.nowNanoseconds += step
      change(&facts)
      if watch.look(facts) { changes += 1 }
    }
  }

  @Test
  mutating func `a server that runs is never in trouble`() {
    look(forSeconds: 60) { $0.periods += 9 }
    #expect(watch.trouble == nil && changes == 0)
  }

  @Test
  mutating func
    `a server without periods stands still after two seconds, since its last one; told once`()
  {
    look(forSeconds: 5) { $0.periods += 9 }
    let last = facts.nowNanoseconds
    look(forSeconds: 1.9)
    #expect(watch.trouble == nil)
    look(forSeconds: 60)
    #expect(watch.trouble?.kind == .standsStill && changes == 1)
    #expect(abs((watch.trouble?.sinceNanoseconds ?? 0) - last) < 2 * Self.step)
    look(forSeconds: 0.1) { $0.periods += 9 }
    #expect(watch.trouble == nil && changes == 2)
  }

  @Test
  mutating func `who was stopped itself has nothing against the server`() {
    look(forSeconds: 5) { $0.periods += 9 }
    facts.nowNanoseconds += 3600 * Self.second
    look(forSeconds: 1)
    look(forSeconds: 5) { $0.periods += 9 }
    #expect(changes == 0)
  }

  @Test
  mutating func `a server that freewheels is in no trouble, however long it takes`() {
    facts.isFreewheeling = true
    look(forSeconds: 600)
    #expect(changes == 0)
    facts.isFreewheeling = false
    look(forSeconds: 3)
    #expect(watch.trouble?.kind == .standsStill)
  }

  @Test(arguments: [EngineState.closed, .serverGone])
  mutating func `without a server nothing stands still`(state: EngineState) {
    facts.state = state
    look(forSeconds: 60)
    #expect(changes == 0)
  }

  @Test
  mutating func
    `a call that does not return is told, and lost only where another process would do better`()
  {
    facts.callNanoseconds = 7
    look(forSeconds: 9.5) { $0.periods += 9 }
    #expect(watch.trouble == nil)
    look(forSeconds: 1) { $0.periods += 9 }
    #expect(watch.trouble?.kind == .hangs && changes == 1 && !watch.isLost)
    look(forSeconds: 20) { $0.periods += 9 }
    #expect(watch.isLost)
    // The server itself stands still.
    look(forSeconds: 3)
    #expect(!watch.isLost && watch.trouble?.kind == .standsStill)
    facts.state = .serverGone
    look(forSeconds: 1)
    #expect(watch.isLost)
    facts.callNanoseconds = nil
    look(forSeconds: 0.1)
    #expect(!watch.isLost && watch.trouble == nil)
  }

  @Test
  mutating func `a call made while the server stands still hangs no more once it goes on`() {
    look(forSeconds: 11)
    facts.callNanoseconds = 7
    look(forSeconds: 60)
    #expect(watch.trouble?.kind == .standsStill)
    look(forSeconds: 1) { $0.periods += 9 }
    #expect(watch.trouble == nil && !watch.isLost)
  }

  @Test
  mutating func `a server that keeps us at the door is told, and never a reason to start anew`() {
    (facts.state, facts.callNanoseconds) = (.closed, 7)
    look(forSeconds: 600)
    #expect(watch.trouble?.kind == .hangs && !watch.isLost && changes == 1)
  }

  @Test
  mutating func `many short calls are none that hangs`() {
    look(forSeconds: 60) {
      $0.periods += 9
      $0.callNanoseconds = $0.nowNanoseconds
    }
    #expect(changes == 0)
  }
}
