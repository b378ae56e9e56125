import CRealtime
import Glibc
import TestJack
import TestKit
import Testing

/// Whoever may talk to the plugin can say and share what they like: jackd and its other clients go on.
///
/// All but one thing, which `rt_link_check_descriptors` names: an eventfd filled to the brim.
@Suite("JACK plugin: hostile daemons", .serialized, .libjackTurn)
struct JackPluginHostilityTests {
  private let plugin: TestPlugin

  init() throws { plugin = try TestPlugin() }

  private func expectPlays(_ engine: SharedEngine) async {
    var code: Int32 = 0
    let opened = await eventually {
      code = engine.open(plugin.socketPath)
      return code == 0
    }
    #expect(opened, "\(code)")
    let callbacks = engine.counters.callbacks
    #expect(await eventually { engine.counters.callbacks > callbacks + 20 })
    unsafe rt_engine_close(engine.handle)
  }

  @Test
  func `silence, noise and half a hello are answered or dropped, and the next daemon is played`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    await expectPlays(engine)
    var random = SplitMix64(seed: 11)
    for count in [0, 1, 15, 16, 79, 80, 81, 500, 512, 513, 4000] {
      let link = try RawLink(plugin.socketPath)
      link.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
      let result = count == 0 ? link.receive().map { _ in -EPROTO } : link.welcomeResult()
      #expect(result == nil || result == -EPROTO, "\(count)")
    }
    let silent = try RawLink(plugin.socketPath)
    #expect(silent.welcomeResult() == -ETIMEDOUT)
    // Many who say nothing, and go.
    let crowd = try (0..<8).map { _ in try RawLink(plugin.socketPath) }
    for link in crowd { link.end() }
    await expectPlays(engine)
    #expect(!server.ports().isEmpty)
  }

  @Test
  func `memory that can be cut short, too small or none, and no eventfd, are refused`() async throws
  {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    await expectPlays(engine)
    let memory = try TestMemory.ofEngine()
    let eventDescriptor = try EventDescriptor()
    let pipe = try EventPipe()
    let unsealed = try TestMemory(like: memory, seals: 0)
    let shrinkable = try TestMemory(like: memory, seals: 1 | 4)
    let small = try TestMemory(bytes: 4096, seals: 7)
    let good = try TestMemory(like: memory, seals: 7)
    let wake = eventDescriptor.number
    for descriptors in [
      [], [good.descriptor], [unsealed.descriptor, wake], [shrinkable.descriptor, wake],
      [small.descriptor, wake], [pipe.writingEnd, wake], [good.descriptor, pipe.writingEnd],
      [good.descriptor, good.descriptor], [wake, good.descriptor],
    ] {
      let link = try RawLink(plugin.socketPath)
      link.send(RawLink.hello(), descriptors: descriptors)
      let result = link.welcomeResult()
      #expect(result == (descriptors.count == 2 ? -EINVAL : -EPROTO), "\(descriptors)")
    }
    let link = try RawLink(plugin.socketPath)
    link.send(RawLink.hello(), descriptors: [good.descriptor, wake])
    #expect(link.welcomeResult() == 0)
    #expect(!server.ports().isEmpty)
  }

  @Test
  func `a request that makes no sense ends its daemon and nothing else`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    await expectPlays(engine)
    let memory = try TestMemory.ofEngine()
    let wake = try EventDescriptor()
    let size = MemoryLayout<rt_link_request>.size
    for frame in [[0], [UInt8](repeating: 0, count: size), [UInt8](repeating: 255, count: size)] {
      let good = try TestMemory(like: memory, seals: 7)
      let link = try RawLink(plugin.socketPath)
      link.send(RawLink.hello(), descriptors: [good.descriptor, wake.number])
      #expect(link.welcomeResult() == 0)
      link.send(frame)
      while let notice = link.receive(), !notice.isEmpty {}
    }
    // Sense, but about nothing that is there.
    let good = try TestMemory(like: memory, seals: 7)
    let link = try RawLink(plugin.socketPath)
    link.send(RawLink.hello(), descriptors: [good.descriptor, wake.number])
    #expect(link.welcomeResult() == 0)
    for slot in [-1, 64, .max, .min] as [Int32] {
      for kind in [RT_LINK_SET_PORT, RT_LINK_CLEAR_PORT, RT_LINK_CONNECT] {
        var request = rt_link_request()
        (request.serial, request.kind, request.port) = (9, kind.rawValue, slot)
        #expect(link.send(unsafe withUnsafeBytes(of: request) { unsafe Array($0) }))
      }
    }
    #expect(await eventually { server.ports()["comlink:mic"] != nil })
  }

  @Test
  func `memory scribbled over makes noise at worst, finite, and jackd plays on`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let ear = try TestEngine()
    let isThere = await eventually {
      unsafe rt_engine_open(ear.handle, server.name, "ear") == 0
    }
    try #require(isThere)
    let engine = try SharedEngine()
    await expectPlays(engine)
    let good = try TestMemory(like: try TestMemory.ofEngine(), seals: 7)
    let wake = try EventDescriptor()
    let link = try RawLink(plugin.socketPath)
    link.send(RawLink.hello(), descriptors: [good.descriptor, wake.number])
    #expect(link.welcomeResult() == 0)
    try server.connect("comlink:mix_left", "ear:mic")
    var random = SplitMix64(seed: 5)
    var worst: Float = 0
    var heard = 0
    for round in 0..<400 {
      good.scribble(&random, isWild: round % 2 == 0)
      for frame in ear.capture(32_768) {
        heard += 1
        worst = frame.isFinite ? max(worst, abs(frame)) : .infinity
      }
      usleep(2000)
    }
    #expect(heard > 10_000)
    #expect(worst <= 1)
    #expect(!server.ports().isEmpty)
    link.end()
    await expectPlays(engine)
  }
}
