import CRealtime
import Glibc
import TestJack
import Testing

/// The plugin in a real jackd, and engines that it plays.
@Suite("JACK plugin", .serialized, .libjackTurn)
struct JackPluginTests {
  private let plugin: TestPlugin

  init() throws { plugin = try TestPlugin() }

  private func open(_ engine: SharedEngine, client: String = "comlink") async throws {
    var code: Int32 = 0
    let opened = await eventually {
      code = engine.open(plugin.socketPath, client: client)
      return code == 0
    }
    try #require(opened, "no plugin: \(code)")
    #expect(unsafe rt_engine_state(engine.handle) == RT_RUNNING)
  }

  private func runs(_ engine: SharedEngine) async -> Bool {
    let callbacks = engine.counters.callbacks
    return await eventually { engine.counters.callbacks > callbacks + 20 }
  }

  @Test
  func `loaded at jackd's start it plays peers, captures, and does what an own client does`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    let handle = unsafe engine.handle
    #expect(unsafe rt_peer_set_port(handle, 3, "peer_anna") == 0)
    try await open(engine)
    #expect(unsafe !rt_engine_is_resumed(handle))
    #expect(engine.open(plugin.socketPath) == -EALREADY)
    #expect(await runs(engine))
    #expect(engine.cycle?.period_frames == 64 && engine.cycle?.sample_rate == 48_000)
    #expect(server.ports()["comlink:peer_anna"] == [])
    // What a peer says comes back by the microphone: a full round through both rings.
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "comlink:mic") == 0)
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "comlink:mic") == -EEXIST)
    #expect(unsafe rt_connect(handle, "comlink:nobody", "comlink:mic") == -ENOENT)
    // Both its ends are ours, and each tells of it.
    #expect(
      engine.connections == "comlink:peer_anna\ncomlink:mic\ncomlink:peer_anna\ncomlink:mic\n")
    #expect(unsafe rt_peer_attach(handle, 3) == 0)
    let isHeard = await eventually {
      engine.write([Float](repeating: 0.25, count: 4096), to: 3)
      return engine.capture(8192).contains { abs($0 - 0.25) < 0.01 }
    }
    #expect(isHeard)
    #expect(engine.counters.ring_errors == 0 && engine.counters.wakes > 0)
    #expect(unsafe rt_peer_set_port(handle, 3, "peer_bert") == 0)
    #expect(engine.connections.hasSuffix("comlink:peer_bert\ncomlink:mic\n"))
    #expect(unsafe rt_peer_set_port(handle, 4, "peer_bert") == -EEXIST)
    #expect(unsafe rt_peer_set_port(handle, 4, "mic") == -EEXIST)
    // A bus has its own port, and a ring back from jackd.
    #expect(unsafe rt_bus_set_port(handle, 2, "line_stage") == 0)
    #expect(unsafe rt_bus_set_port(handle, 3, "peer_bert") == -EEXIST)
    #expect(server.ports()["comlink:line_stage"] == [])
    unsafe rt_bus_set_gain(handle, 2, 3, 0.5)
    #expect(unsafe rt_bus_open(handle, 2, 1, true) == 0)
    let isMixed = await eventually {
      engine.write([Float](repeating: 0.25, count: 4096), to: 3)
      return engine.take(8192, of: 2).contains { abs($0 - 0.125) < 0.01 }
    }
    #expect(isMixed)
    #expect(unsafe abs(rt_bus_meter(handle, 2).peak - 0.125) < 0.01)
    unsafe rt_bus_clear_port(handle, 2)
    #expect(server.ports()["comlink:line_stage"] == nil)
    unsafe rt_peer_clear_port(handle, 3)
    #expect(server.ports()["comlink:peer_bert"] == nil)
    #expect(engine.physicalPorts(capture: true) == "system:capture_1\nsystem:capture_2\n")
    #expect(engine.physicalPorts(capture: false) == "system:playback_1\nsystem:playback_2\n")
    #expect(server.ports()["comlink:mix_left"] != nil)
  }

  @Test
  func `what JACK reports comes as a notice: connections of others, and another period`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 256, plugin: plugin)
    let engine = try SharedEngine()
    let handle = unsafe engine.handle
    try await open(engine)
    #expect(await runs(engine))
    unsafe rt_take_notice(handle)
    let changes = unsafe rt_graph_changes(handle)
    try server.connect("system:capture_1", "comlink:mic")
    #expect(await eventually { engine.hasNotice })
    let isTold = await eventually {
      unsafe rt_take_notice(handle)
      return unsafe rt_graph_changes(handle) != changes
    }
    #expect(isTold)
    #expect(
      await eventually {
        unsafe rt_take_notice(handle); return !engine.hasNotice
      })
    try server.setPeriod(frames: 128)
    #expect(await eventually { engine.hasNotice })
    #expect(await eventually { engine.cycle?.period_frames == 128 })
    #expect(engine.counters.period_changes == 1)
  }

  @Test
  func `a second daemon is refused, and one that comes after the first is not`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let first = try SharedEngine()
    let second = try SharedEngine()
    try await open(first)
    #expect(second.open(plugin.socketPath) == -EBUSY)
    #expect(unsafe rt_engine_state(second.handle) == RT_CLOSED)
    #expect(await runs(first))
    unsafe rt_engine_close(first.handle)
    let callbacks = first.counters.callbacks
    #expect(second.open(plugin.socketPath, client: "other") == -EINVAL)
    try await open(second)
    #expect(await runs(second))
    // The first one's memory is left alone since it left.
    #expect(first.counters.callbacks == callbacks)
    #expect(!server.ports().isEmpty)
  }

  @Test
  func `inputs outlast their daemon, and go when the next one has none of the name`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    do {
      let first = try SharedEngine()
      #expect(unsafe rt_input_add(first.handle, "program") == 0)
      #expect(unsafe rt_input_add(first.handle, "director") == 1)
      try await open(first)
      #expect(unsafe rt_connect(first.handle, "system:capture_1", "comlink:program") == 0)
      #expect(unsafe rt_connect(first.handle, "system:capture_1", "comlink:director") == 0)
    }
    #expect(server.isConnected("system:capture_1", "comlink:program"))
    let second = try SharedEngine()
    #expect(unsafe rt_input_add(second.handle, "program") == 0)
    try await open(second)
    #expect(server.isConnected("system:capture_1", "comlink:program"))
    #expect(server.ports()["comlink:director"] == nil)
    #expect(await runs(second))
    #expect(second.captureChannels == 5)
  }

  @Test
  func `ports and connections outlast their daemon, by name and not by slot`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    do {
      let first = try SharedEngine()
      for (slot, name) in ["peer_anna", "peer_bert", "peer_carl"].enumerated() {
        #expect(unsafe rt_peer_set_port(first.handle, rt_slot(slot), name) == 0)
      }
      try await open(first)
      for name in ["peer_anna", "peer_bert", "peer_carl"] {
        #expect(unsafe rt_connect(first.handle, "comlink:\(name)", "system:playback_1") == 0)
      }
    }
    // No daemon: all is there.
    #expect(server.isConnected("comlink:peer_bert", "system:playback_1"))
    let second = try SharedEngine()
    let handle = unsafe second.handle
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_bert") == 0)
    #expect(unsafe rt_peer_set_port(handle, 1, "peer_doro") == 0)
    try await open(second)
    #expect(unsafe rt_engine_is_resumed(handle))
    #expect(server.isConnected("comlink:peer_bert", "system:playback_1"))
    #expect(server.ports()["comlink:peer_doro"] == [])
    // A slot that has a port already takes the waiting one of its new name.
    #expect(unsafe rt_peer_set_port(handle, 1, "peer_anna") == 0)
    #expect(server.isConnected("comlink:peer_anna", "system:playback_1"))
    #expect(server.ports()["comlink:peer_doro"] == nil)
    // Whom nobody has yet is listed too: its connections are remembered.
    #expect(second.connections.contains("comlink:peer_carl\nsystem:playback_1\n"))
    unsafe rt_peer_clear_port(handle, 0)
    #expect(server.ports()["comlink:peer_bert"] == nil)
    #expect(await runs(second))
  }

  @Test
  func `the ports of a gone daemon play silence`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let ear = try TestEngine()
    let isThere = await eventually {
      unsafe rt_engine_open(ear.handle, server.name, "ear") == 0
    }
    try #require(isThere)
    do {
      let engine = try SharedEngine()
      #expect(unsafe rt_peer_set_port(engine.handle, 0, "peer_anna") == 0)
      try await open(engine)
      #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
      #expect(unsafe rt_connect(engine.handle, "comlink:peer_anna", "ear:mic") == 0)
      let isHeard = await eventually {
        engine.write([Float](repeating: 0.5, count: 4096), to: 0)
        return ear.capture(32_768).contains { $0 > 0.4 }
      }
      #expect(isHeard)
      engine.write([Float](repeating: 0.5, count: 16_384), to: 0)
    }
    #expect(server.isConnected("comlink:peer_anna", "ear:mic"))
    _ = ear.capture(32_768)
    var later: [Float] = []
    #expect(
      await eventually {
        later += ear.capture(32_768); return later.count > 9600
      })
    // From what was on the way when the memory went on.
    #expect(later.dropFirst(4800).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `a jackd that ends is noticed, and the next plays the same peers`(signal: Int32) async throws
  {
    let first = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    let handle = unsafe engine.handle
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_anna") == 0)
    try await open(engine)
    for slot in 0..<2 as Range<rt_slot> { #expect(unsafe rt_peer_attach(handle, slot) == 0) }
    #expect(await runs(engine))
    first.end(signal: signal)
    #expect(await eventually { engine.hasNotice })
    let isTold = await eventually {
      unsafe rt_take_notice(handle)
      return unsafe rt_engine_state(handle) == RT_SERVER_GONE
    }
    #expect(isTold)
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "system:playback_1") == -ENOTCONN)
    unsafe rt_peer_detach(handle, 0)
    unsafe rt_engine_close(handle)
    #expect(unsafe rt_peer_is_idle(handle, 0) && !rt_peer_is_idle(handle, 1))
    #expect(engine.open(plugin.socketPath) == -ENOENT)
    let second = try await TestServer.start(
      name: first.name, sampleRate: 44_100, periodFrames: 128, plugin: plugin)
    try await open(engine)
    #expect(unsafe !rt_engine_is_resumed(handle))
    #expect(await runs(engine))
    #expect(engine.cycle?.sample_rate == 44_100)
    #expect(second.ports()["comlink:peer_anna"] == [])
  }

  @Test
  func `it is unloaded under a daemon that asks all the time, and jackd lives`() async throws {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    let handle = unsafe engine.handle
    for round in 0..<3 {
      try await open(engine)
      let asking = Task.detached {
        var asked = 0
        while unsafe rt_engine_state(engine.handle) == RT_RUNNING {
          let slot = rt_slot(asked % 8)
          _ = unsafe rt_peer_set_port(engine.handle, slot, "peer_\(asked)")
          _ = unsafe rt_connect(engine.handle, "comlink:peer_\(asked)", "system:playback_1")
          asked += 1
        }
        return asked
      }
      try await Task.sleep(for: .milliseconds(100))
      try server.unload()
      #expect(await asking.value > 0, "round \(round)")
      unsafe rt_engine_close(handle)
      let ports = server.ports()
      #expect(ports["system:playback_1"] != nil && ports["comlink:mic"] == nil)
      try server.load()
    }
    try await open(engine)
    #expect(await runs(engine))
  }

  @Test
  func `two plugins cannot have one socket; by another path in the init string they can`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    let engine = try SharedEngine()
    try await open(engine)
    #expect(throws: (any Error).self) { try server.load(client: "second", tries: 1) }
    #expect(server.ports()["second:mic"] == nil)
    try server.load(client: "third", socket: plugin.socketPath + "3")
    let other = try SharedEngine()
    #expect(other.open(plugin.socketPath + "3", client: "third") == 0)
    #expect(await runs(engine))
    #expect(await runs(other))
    #expect(server.ports()["third:mic"] != nil)
  }

  @Test
  func `a server without room for its ports refuses it, and keeps nothing of it`() async throws {
    let server = try await TestServer.start(
      periodFrames: 64, plugin: plugin, loadsPlugin: false, portLimit: 6)
    // What jackd itself keeps of the first, such as the library.
    #expect(throws: (any Error).self) { try server.load(tries: 1) }
    let before = server.holdings.descriptors
    #expect(before > 0)
    for _ in 0..<3 { #expect(throws: (any Error).self) { try server.load(tries: 1) } }
    #expect(await eventually { server.holdings.descriptors <= before })
    #expect(server.ports().count == 4)
  }
}
