import Synchronization
import Testing

@testable import EventLoop

/// An actor that lives on the loop and notices when it does not.
actor Tally {
  private nonisolated let loop: EventLoop
  private(set) var count = 0
  private(set) var strays = 0

  init(loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  func increment() {
    count += 1
    if !loop.isCurrent { strays += 1 }
  }

  func incrementBoth(_ other: Tally) async {
    increment()
    await other.increment()
    if !loop.isCurrent { strays += 1 }
  }

  nonisolated func incrementAtOnce() -> Int {
    assumeIsolated {
      $0.increment()
      return $0.count
    }
  }
}

struct EventLoopExecutorTests {
  @Test(arguments: completionModes)
  func `an actor runs on the loop thread, whoever calls it`(mode: EventLoopFeatures.CompletionMode)
    async throws
  {
    let loop = try makeLoop(mode)
    try loop.start()
    defer { loop.stop() }
    let tally = Tally(loop: loop)
    for _ in 0..<100 { await tally.increment() }
    #expect(await tally.count == 100)
    #expect(await tally.strays == 0)
    #expect(!loop.isCurrent)
  }

  @Test
  func `a task with the loop as its preference stays there, also after it slept`() async throws {
    let loop = try makeLoop()
    try loop.start()
    defer { loop.stop() }
    let places = await Task(executorPreference: loop) {
      var places = [loop.isCurrent]
      await Task.yield()
      places.append(loop.isCurrent)
      try? await Task.sleep(for: .milliseconds(1))
      places.append(loop.isCurrent)
      await withCheckedContinuation { $0.resume() }
      places.append(loop.isCurrent)
      return places
    }.value
    #expect(places == [true, true, true, true])
  }

  @Test
  func `a continuation that the handler resumes goes on in the same wake-up, without a signal`()
    async throws
  {
    let loop = try makeLoop()
    let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
    let isArmed = Atomic<Bool>(false)
    loop.setHandler(
      RecordingHandler { _ in
        waiting.withLock { $0.take() }?.resume()
        return .max
      })
    try loop.start()
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        isArmed.store(true, ordering: .releasing)
      }
      return loop.isCurrent
    }
    #expect(await eventually { isArmed.load(ordering: .acquiring) })
    loop.beat()
    #expect(await task.value)
  }

  @Test
  func `a task resumed at every wake-up runs once a wake-up and wakes nobody`() async throws {
    let loop = try makeLoop()
    let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
    let turns = Guarded(0)
    let handler = RecordingHandler { _ in
      waiting.withLock { $0.take() }?.resume()
      return .max
    }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      while !Task.isCancelled {
        await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
        turns.withLock { $0 += 1 }
      }
    }
    for _ in 0..<100 { #expect(await loop.beatAndWait()) }
    #expect(await eventually { turns.withLock { $0 } >= 98 })
    let end = loop.statistics
    #expect(end.wakes <= end.beats + end.signals)
    #expect(end.signals <= 3)
    // A signal that finds a beat under way calls the handler for both.
    #expect(handler.wakeCount <= Int(end.wakes + end.signals) + 1)
    task.cancel()
    loop.beat()
    await task.value
  }

  @Test
  func `eight tasks hop to the loop ten thousand times each and none is lost`() async throws {
    let loop = try EventLoop(configuration: EventLoopConfiguration(queuedJobs: 4))
    try loop.start()
    defer { loop.stop() }
    let tallies = [Tally(loop: loop), Tally(loop: loop)]
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for hop in 0..<10_000 { await tallies[(task + hop) % 2].increment() }
        }
      }
    }
    #expect(await tallies[0].count == 40_000)
    #expect(await tallies[1].count == 40_000)
    #expect(await tallies[0].strays + tallies[1].strays == 0)
    // The last wake-up counts what it ran at its end.
    #expect(await eventually { loop.statistics.jobs >= 80_000 })
  }

  @Test
  func `two actors on the loop call each other without leaving it`() async throws {
    let loop = try makeLoop()
    try loop.start()
    defer { loop.stop() }
    let (one, other) = (Tally(loop: loop), Tally(loop: loop))
    await Task(executorPreference: loop) {
      for _ in 0..<1000 { await one.incrementBoth(other) }
    }.value
    #expect(await other.count == 1000)
    #expect(await one.strays + other.strays == 0)
  }

  @Test
  func `more jobs of its own than the loop has room for are kept`() async throws {
    let loop = try EventLoop(configuration: EventLoopConfiguration(queuedJobs: 2))
    try loop.start()
    defer { loop.stop() }
    let tally = Tally(loop: loop)
    await Task(executorPreference: loop) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<1000 { group.addTask(executorPreference: loop) { await tally.increment() } }
      }
    }.value
    #expect(await tally.count == 1000)
  }

  @Test
  func `a handler may assume an actor's isolation`() async throws {
    let loop = try makeLoop()
    let tally = Tally(loop: loop)
    let counts = Guarded<[Int]>([])
    loop.setHandler(
      RecordingHandler { _ in
        let count = tally.incrementAtOnce()
        counts.withLock { $0.append(count) }
        return .max
      })
    try loop.start()
    defer { loop.stop() }
    #expect(await loop.beatAndWait())
    #expect(await eventually { counts.withLock { $0.count } >= 2 })
    #expect(await tally.strays == 0)
  }

  @Test
  func `a task that never stops yielding keeps neither beats nor datagrams waiting`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let handler = RecordingHandler()
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      while !Task.isCancelled { await Task.yield() }
    }
    let sender = try PlainSocket()
    sender.send([1], to: endpoint.localAddress)
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.datagrams.count == 1 })
    let tally = Tally(loop: loop)
    await tally.increment()
    task.cancel()
    await task.value
  }
}
