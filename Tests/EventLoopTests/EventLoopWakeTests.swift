import Glibc
import Synchronization
import Testing

@testable import EventLoop

/// Every way of completion the running kernel may have; the worse ones stand for older kernels.
let completionModes: [EventLoopFeatures.CompletionMode] = [.deferred, .cooperative, .plain]

func makeLoop(_ mode: EventLoopFeatures.CompletionMode = .deferred) throws -> EventLoop {
  var configuration = EventLoopConfiguration()
  configuration.bestMode = mode
  return try EventLoop(configuration: configuration)
}

struct EventLoopWakeTests {
  @Test(arguments: completionModes)
  func `datagrams wait for the beat, keep their order and their kernel stamps`(
    mode: EventLoopFeatures.CompletionMode
  ) async throws {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let handler = RecordingHandler()
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let sender = try PlainSocket()
    try await warmUpStamps(loop, endpoint, handler, sender)

    let before = loop.statistics
    let seen = handler.datagrams.count
    let sendStart = EventLoop.nowNanoseconds()
    for index in 0..<100 { sender.send([UInt8(index), 7], to: endpoint.localAddress) }
    let sendEnd = EventLoop.nowNanoseconds()
    #expect(loop.statistics.wakes == before.wakes, "datagrams alone wake nobody")
    #expect(await loop.beatAndWait())

    let after = loop.statistics
    #expect(after.wakes == before.wakes + 1)
    #expect(after.datagramsIn == before.datagramsIn + 100)
    #expect(after.bytesIn == before.bytesIn + 200)
    #expect(after.extraEnters - before.extraEnters <= 4, "the kernel stops a drain after 33")
    let heard = handler.datagrams[seen...]
    #expect(heard.map { $0.bytes[0] } == (0..<100).map { UInt8($0) })
    #expect(heard.allSatisfy { $0.source == sender.address })
    let arrivals = heard.map(\.arrivalNanoseconds)
    #expect(arrivals == arrivals.sorted())
    // The clocks are read microseconds apart.
    #expect(arrivals.first ?? 0 >= sendStart - 1_000_000)
    #expect(arrivals.last ?? .max <= sendEnd + 1_000_000)
  }

  /// The kernel begins to stamp a moment after it was asked to; until then it stamps what it hands
  /// over.
  private func warmUpStamps(
    _ loop: EventLoop, _ endpoint: UDPEndpoint, _ handler: RecordingHandler, _ sender: PlainSocket
  ) async throws {
    for _ in 0..<1000 {
      sender.send([0], to: endpoint.localAddress)
      let sent = EventLoop.nowNanoseconds()
      #expect(await loop.beatAndWait())
      if let last = handler.datagrams.last, last.arrivalNanoseconds < sent { return }
    }
    Issue.record("no kernel receive stamp came")
  }

  @Test(arguments: completionModes)
  func `a job that comes shortly before a deadline is run after it`(
    mode: EventLoopFeatures.CompletionMode
  ) async throws {
    let loop = try makeLoop(mode)
    let handler = RecordingHandler { $0 + 500_000 }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let actor = Counted(loop: loop)
    // A busy machine wakes the loop too late to have anything to wait for; ten rounds may be so.
    var waited = 0
    for _ in 0..<10 where waited <= 50 {
      waited = 0
      for _ in 0..<100 {
        // By then the loop has run its jobs, and waits.
        let begin = EventLoop.nowNanoseconds() + 100_000
        while EventLoop.nowNanoseconds() < begin {}
        let before = handler.wakeCount
        if await actor.count(handler) > before { waited += 1 }
      }
    }
    // Without the rule those few before which the deadline came by itself.
    #expect(waited > 50)
  }

  private actor Counted {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: EventLoop) { self.loop = loop }

    func count(_ handler: RecordingHandler) -> Int { handler.wakeCount }
  }

  @Test(arguments: completionModes)
  func `a wake-up is one system call, sends, timer and all`(mode: EventLoopFeatures.CompletionMode)
    async throws
  {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let receiver = try PlainSocket()
    let destination = receiver.address
    let snapshots = Guarded<[EventLoopStatistics]>([])
    let handler = RecordingHandler { now in
      if let packet = endpoint.makePacket({ fill(&$0, [UInt8](repeating: 1, count: 60)) }) {
        for _ in 0..<3 { endpoint.send(packet, to: destination) }
      }
      snapshots.withLock { $0.append(loop.statistics) }
      return now + 3_600_000_000_000
    }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let sender = try PlainSocket()
    for _ in 0..<200 {
      for _ in 0..<5 { sender.send([1, 2, 3], to: endpoint.localAddress) }
      try #require(await loop.beatAndWait())
    }
    let taken = snapshots.withLock { $0 }
    let first = try #require(taken.dropFirst(3).first)
    let last = try #require(taken.last)
    #expect(last.wakes - first.wakes >= 190)
    #expect(last.enters - first.enters == last.wakes - first.wakes)
    #expect(last.extraEnters == first.extraEnters)
    #expect(loop.statistics.datagramsIn == 1000)
  }

  @Test
  func `several beats before a wake-up are counted, and cost one`() async throws {
    let loop = try makeLoop()
    let isHeld = Atomic<Bool>(true)
    let hasWoken = Atomic<Bool>(false)
    loop.setHandler(
      RecordingHandler { _ in
        hasWoken.store(true, ordering: .releasing)
        while isHeld.load(ordering: .acquiring) { sched_yield() }
        return .max
      })
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { hasWoken.load(ordering: .acquiring) })
    let before = loop.statistics
    for _ in 0..<10 { loop.beat() }
    isHeld.store(false, ordering: .releasing)
    #expect(await eventually { loop.statistics.beats == before.beats + 10 })
    #expect(loop.statistics.wakes == before.wakes + 1)
  }

  @Test
  func `a datagram wakes the loop where its handler asks for that, and a flood seldom`()
    async throws
  {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let handler = RecordingHandler { _ in
      endpoint.wakeOnDatagram()
      return .max
    }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { handler.wakeCount > 0 })
    let sender = try PlainSocket()
    let before = loop.statistics
    sender.send([1], to: endpoint.localAddress)
    #expect(await eventually { handler.datagrams.count == 1 })
    #expect(loop.statistics.alerts == before.alerts + 1)

    let began = EventLoop.nowNanoseconds()
    for _ in 0..<100 { sender.send([2], to: endpoint.localAddress) }
    #expect(await eventually { handler.datagrams.count == 101 })
    let pauses = UInt64(EventLoop.nowNanoseconds() - began) / 5_000_000
    #expect(loop.statistics.alerts <= before.alerts + 5 + pauses)
  }

  @Test
  func `signals, beats and deadlines are told apart`() async throws {
    let loop = try makeLoop()
    let seen = Guarded<[[UInt64]]>([])
    loop.setHandler(
      RecordingHandler { now in
        let counters = loop.statistics
        seen.withLock { $0.append([counters.signals, counters.beats, counters.deadlines]) }
        return counters.beats == 1 && counters.deadlines == 0 ? now : .max
      })
    try loop.start()
    defer { loop.stop() }
    #expect(await eventually { seen.withLock { $0 == [[0, 0, 0], [1, 0, 0]] } })
    loop.beat()
    #expect(
      await eventually {
        seen.withLock { $0 == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] }
      })
  }

  @Test
  func `a wake-up tells of datagrams first, then calls woke, then runs jobs, and calls woke again`()
    async throws
  {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let jobs = JobRecorder()
    let handler = RecordingHandler(onDatagram: {
      Task(executorPreference: loop) { jobs.record() }
    })
    jobs.handler.withLock { $0 = handler }
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.wakeCount > 0 })
    let before = handler.record.withLock { $0.calls.count }
    let sender = try PlainSocket()
    sender.send([1], to: endpoint.localAddress)
    sender.send([2], to: endpoint.localAddress)
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.record.withLock { $0.calls.count } >= before + 6 })
    let calls = handler.record.withLock { Array($0.calls[before...].prefix(6)) }
    #expect(calls == [.datagram, .datagram, .woke, .job, .job, .woke])
    jobs.handler.withLock { $0 = nil }
  }

  private final class JobRecorder: Sendable {
    let handler = Guarded<RecordingHandler?>(nil)

    func record() {
      handler.withLock { $0 }?.record.withLock { $0.calls.append(.job) }
    }
  }
}
