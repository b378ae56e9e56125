import Glibc
import Synchronization
import Testing

@testable import EventLoop

struct EventLoopLifecycleTests {
  @Test(arguments: completionModes)
  func `stopping in full swing ends at once and loses no job`(
    mode: EventLoopFeatures.CompletionMode
  ) async throws {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    loop.setHandler(RecordingHandler { $0 + 100_000 })
    try loop.start()
    let tally = Tally(loop: loop)
    let sender = try PlainSocket()
    let audio = Task {
      while !Task.isCancelled {
        sender.send([1, 2, 3], to: endpoint.localAddress)
        loop.beat()
        await Task.yield()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<2000 { await tally.increment() } }
      }
      #expect(await eventually { loop.statistics.jobs > 500 && loop.statistics.datagramsIn > 10 })
      loop.stop()
      audio.cancel()
    }
    #expect(await tally.count == 8000)
    #expect(await tally.strays == 0)
    let end = loop.statistics
    #expect(end.enters == end.wakes + end.extraEnters + end.earlySubmits)
  }

  @Test
  func `stop may be called again, by several threads, and before start`() async throws {
    let loop = try makeLoop()
    try loop.start()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { loop.stop() } }
    }
    loop.stop()
    #expect(throws: EventLoopError.alreadyStarted) { try loop.start() }
    let unused = try makeLoop()
    unused.stop()
    #expect(throws: EventLoopError.alreadyStarted) { try unused.start() }
  }

  @Test
  func `the loop can be stopped from its own thread`() async throws {
    let loop = try makeLoop()
    let calls = Atomic<Int>(0)
    loop.setHandler(
      RecordingHandler { _ in
        if calls.wrappingAdd(1, ordering: .relaxed).newValue > 3 { loop.stop() }
        return .max
      })
    try loop.start()
    #expect(
      await eventually {
        loop.beat()
        return calls.load(ordering: .relaxed) > 3
      })
    loop.stop()
    #expect(loop.statistics.wakes >= 3)
  }

  @Test
  func `a loop that ended is freed, and its handler with it`() async throws {
    weak var formerLoop: EventLoop?
    weak var formerHandler: RecordingHandler?
    do {
      let loop = try makeLoop()
      let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
      let handler = RecordingHandler { _ in
        _ = endpoint.localAddress
        return .max
      }
      formerLoop = loop
      formerHandler = handler
      loop.setHandler(handler)
      try loop.start()
      #expect(await loop.beatAndWait())
      loop.stop()
    }
    #expect(formerLoop == nil)
    #expect(formerHandler == nil)
  }

  @Test
  func `the port is free again after stop`() async throws {
    // An address of its own: tests that run meanwhile take any port of 127.0.0.1.
    var address = SocketAddress(ipv4: 0x7f00_004d, port: 0)
    for _ in 0..<20 {
      let loop = try makeLoop()
      address = try UDPEndpoint(loop: loop, bindingTo: address).localAddress
      try loop.start()
      loop.stop()
    }
  }

  @Test
  func `jobs that come after the end still run, one at a time and isolated`() async throws {
    let loop = try makeLoop()
    let tally = Tally(loop: loop)
    try loop.start()
    loop.stop()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<500 { await tally.increment() } }
      }
    }
    #expect(await tally.count == 4000)
    #expect(await tally.strays == 0)
  }

  @Test
  func `a job may let go of the loop's last reference while it is still being left`() async throws {
    for _ in 0..<300 {
      let loop = try makeLoop()
      loop.stop()
      let tally = Tally(loop: loop)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { await tally.increment() } }
      }
    }
  }

  @Test
  func `a packet cannot be made after the end`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    try loop.start()
    loop.stop()
    let hasPacket = await Task(executorPreference: loop) {
      endpoint.makePacket { fill(&$0, [1]) } != nil
    }.value
    #expect(!hasPacket)
  }

  @Test
  func `the thread has its name, and its priority or a warning`() async throws {
    let loop = try EventLoop(configuration: EventLoopConfiguration(realtimePriority: 40))
    try loop.start()
    defer { loop.stop() }
    let found = await Task(executorPreference: loop) {
      var name = [UInt8](repeating: 0, count: 16)
      let file = unsafe open("/proc/thread-self/comm", O_RDONLY)
      let count = unsafe read(file, &name, name.count)
      close(file)
      var policy: Int32 = 0
      var parameters = sched_param()
      unsafe pthread_getschedparam(pthread_self(), &policy, &parameters)
      return (
        String(decoding: name.prefix(max(count - 1, 0)), as: UTF8.self),
        policy == SCHED_FIFO ? Int(parameters.sched_priority) : 0
      )
    }.value
    #expect(found.0 == "comlink-loop")
    #expect(found.1 == (loop.schedulingWarning == nil ? 40 : 0))
  }

  @Test
  func `a priority the kernel does not know is a warning, not an end`() async throws {
    let loop = try EventLoop(configuration: EventLoopConfiguration(realtimePriority: 1000))
    try loop.start()
    defer { loop.stop() }
    #expect(loop.schedulingWarning == .scheduling(priority: 1000, errno: EINVAL))
    #expect(await loop.beatAndWait())
  }

  @Test(arguments: completionModes)
  func `the features name kernel and mode`(mode: EventLoopFeatures.CompletionMode) throws {
    let loop = try makeLoop(mode)
    try loop.start()
    defer { loop.stop() }
    #expect(loop.features.description.contains(loop.features.kernelRelease))
    #expect(!loop.features.kernelRelease.isEmpty)
    if mode != .deferred { #expect(loop.features.completionMode == mode) }
  }

  @Test(arguments: [
    (EventLoopError.ring(.setup, errno: EPERM), ["kernel.io_uring_disabled", "seccomp"]),
    (.ring(.setup, errno: ENOSYS), ["no io_uring", "6.0"]),
    (.ring(.setup, errno: EINVAL), ["too old", "6.0"]),
    (.ring(.setup, errno: ENOMEM), ["RLIMIT_MEMLOCK"]),
    (.ring(.multishotReceive, errno: ENOSYS), ["multishot recvmsg", "6.0"]),
    (.ring(.bufferRing, errno: EINVAL), ["buffer rings", "5.19"]),
    (.ring(.enable, errno: EINVAL), ["Invalid argument"]),
    (.thread(errno: EAGAIN), ["loop thread"]),
  ])
  func `what the kernel lacks is said in words`(error: EventLoopError, words: [String]) {
    for word in words { #expect(error.description.contains(word)) }
  }
}
