import Synchronization
import Testing

@testable import EventLoop

struct EventLoopDeadlineTests {
  private static let hour: Int64 = 3_600_000_000_000
  private static let moment: Int64 = 20_000_000

  /// Answers each `woke` with the next of some offsets from now (nil: none), and with none when
  /// they are used up.
  private final class Script: Sendable {
    let offsets: Guarded<[Int64?]>
    let answers = Guarded<[(now: Int64, deadline: Int64)]>([])

    /// An array of its own: ThreadSanitizer does not see that reference counts order the threads.
    var given: [(now: Int64, deadline: Int64)] { answers.withLock { $0.map { $0 } } }

    init(_ offsets: [Int64?]) { self.offsets = Guarded(offsets) }

    func next(_ now: Int64) -> Int64 {
      let offset = offsets.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      let deadline = offset.map { now + $0 } ?? .max
      answers.withLock { $0.append((now, deadline)) }
      return deadline
    }
  }

  private func makeScripted(
    _ mode: EventLoopFeatures.CompletionMode, _ offsets: [Int64?]
  ) throws -> (EventLoop, Script) {
    let loop = try makeLoop(mode)
    let script = Script(offsets)
    // Taken over before the first wake-up, so that the first answer is the loop's first deadline.
    loop.setHandler(RecordingHandler { script.next($0) })
    return (loop, script)
  }

  @Test(arguments: completionModes)
  func `a deadline wakes the loop, not early and once`(mode: EventLoopFeatures.CompletionMode)
    async throws
  {
    // The first answer is given at the start, the second after the signal of setHandler.
    let (loop, script) = try makeScripted(mode, [Self.hour, Self.moment])
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { loop.statistics.deadlines == 1 })
    #expect(await eventually { script.answers.withLock { $0.count } == 3 })
    let answers = script.given
    #expect(answers[2].now >= answers[1].deadline)
    #expect(await loop.beatAndWait())
    #expect(loop.statistics.deadlines == 1)
  }

  @Test(arguments: [-1, -1_000_000_000])
  func `a deadline that has passed wakes the loop at once`(offset: Int64) async throws {
    let (loop, _) = try makeScripted(.deferred, [Self.hour, offset, offset, offset])
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { loop.statistics.deadlines == 3 })
  }

  @Test
  func `a deadline before the epoch of the clock is taken as passed`() async throws {
    let (loop, _) = try makeScripted(.deferred, [Self.hour, -Int64.max / 2])
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { loop.statistics.deadlines == 1 })
  }

  @Test(arguments: completionModes)
  func `a deadline can be moved earlier`(mode: EventLoopFeatures.CompletionMode) async throws {
    let (loop, script) = try makeScripted(mode, [Self.hour, Self.hour, Self.moment])
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { script.answers.withLock { $0.count } == 2 })
    loop.beat()
    #expect(await eventually { loop.statistics.deadlines == 1 })
  }

  @Test(arguments: completionModes, [hour, nil])
  func `a deadline that is moved later, or taken back, does not fire`(
    mode: EventLoopFeatures.CompletionMode, later: Int64?
  ) async throws {
    let early: Int64 = 300_000_000
    // Tried again when this machine stalled so long that the deadline passed before it could be moved.
    for _ in 0..<5 {
      let (loop, script) = try makeScripted(mode, [Self.hour, early, later, later, later, later])
      try loop.start()
      defer { loop.stop() }
      #expect(await eventually { script.answers.withLock { $0.count } >= 2 })
      loop.beat()
      #expect(await eventually { script.answers.withLock { $0.count } >= 3 })
      let answers = script.given
      guard answers[2].now < answers[1].deadline - early / 2 else { continue }
      // Another loop, whose deadline is the same and stands, tells when the moment has passed.
      let (clock, _) = try makeScripted(.deferred, [Self.hour, early])
      try clock.start()
      defer { clock.stop() }
      #expect(await eventually { clock.statistics.deadlines == 1 })
      #expect(await loop.beatAndWait())
      #expect(loop.statistics.deadlines == 0)
      return
    }
    Issue.record("the machine stalled five times")
  }

  @Test(arguments: completionModes)
  func `a deadline drains the socket too, so a node without a beat hears`(
    mode: EventLoopFeatures.CompletionMode
  ) async throws {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let handler = RecordingHandler { $0 + Self.moment }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let sender = try PlainSocket()
    for index: UInt8 in 0..<10 { sender.send([index], to: endpoint.localAddress) }
    #expect(await eventually { handler.datagrams.count == 10 })
    #expect(loop.statistics.beats == 0)
  }

  @Test(arguments: completionModes)
  func `timer and beat at cross purposes lose neither`(mode: EventLoopFeatures.CompletionMode)
    async throws
  {
    let loop = try makeLoop(mode)
    let turns = Atomic<Int64>(0)
    loop.setHandler(
      RecordingHandler { now in
        // Deadlines from the past to 100 µs ahead, so that many fire while they are being moved.
        let turn = turns.wrappingAdd(1, ordering: .relaxed).newValue
        return now + (turn * 7919) % 100_000 - 1000
      })
    try loop.start()
    for _ in 0..<5000 { loop.beat() }
    #expect(await eventually { loop.statistics.beats == 5000 && loop.statistics.deadlines > 2000 })
    loop.stop()
    let end = loop.statistics
    #expect(end.enters == end.wakes + end.extraEnters + end.earlySubmits)
  }
}
