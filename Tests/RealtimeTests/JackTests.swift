import CRealtime
import Glibc
import TestJack
import Testing

/// On a real server.
///
/// One after the other: libjack serves one server per process at a time.
@Suite("JACK session", .serialized, .libjackTurn)
struct JackTests {
  /// Opens; again where another client of that name comes to another server at the same moment, as JACK names a
  /// client's socket by the client alone.
  private func open(
    _ engine: TestEngine, on server: TestServer, as client: String = "comlink"
  ) async throws {
    let opened = await eventually {
      unsafe rt_engine_open(engine.handle, server.name, client) == 0
    }
    try #require(opened, "no session on \(server.name)")
    #expect(unsafe rt_engine_state(engine.handle) == RT_RUNNING)
  }

  private func connections(of engine: TestEngine) -> String {
    unsafe text { unsafe rt_connections(engine.handle, $0, $1) }
  }

  private func physicalPorts(of engine: TestEngine, capture: Bool) -> String {
    unsafe text { unsafe rt_physical_ports(engine.handle, capture, $0, $1) }
  }

  private func text(_ fill: (UnsafeMutablePointer<CChar>, UInt32) -> Int32) -> String {
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: 65_536) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      count = max(0, Int(unsafe fill(start, UInt32(bytes.count))))
    }
    return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test
  func `the callback runs on a real server for 2 s of sound while peers and ports come and go`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 64)
    let engine = try TestEngine()
    let handle = unsafe engine.handle
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_anna") == 0)
    try await open(engine, on: server)
    #expect(unsafe rt_engine_state(handle) == RT_RUNNING)
    #expect(unsafe rt_engine_open(handle, server.name, "comlink") == -EALREADY)
    #expect(unsafe rt_connect(handle, "system:capture_1", "comlink:mic") == 0)
    #expect(unsafe rt_connect(handle, "system:capture_1", "comlink:mic") == -EEXIST)
    #expect(unsafe rt_connect(handle, "comlink:nobody", "system:playback_1") == -ENOENT)
    var step = 0
    let ran = await eventually {
      step += 1
      let slot = rt_slot(step % 8)
      _ = unsafe rt_peer_attach(handle, slot)
      unsafe rt_peer_detach(handle, rt_slot((step + 4) % 8))
      #expect(unsafe rt_peer_set_port(handle, 1 + slot, "peer_\(step)") == 0)
      unsafe rt_peer_clear_port(handle, 1 + rt_slot((step + 4) % 8))
      engine.write([Float](repeating: 0.1, count: 3_000), to: slot)
      _ = engine.capture(8_000)
      return engine.counters.callbacks >= 1_500
    }
    #expect(ran)
    let cycle = try #require(engine.cycle)
    #expect(cycle.period_frames == 64 && cycle.sample_rate == 48_000)
    #expect(cycle.next_nanoseconds > cycle.start_nanoseconds && cycle.start_nanoseconds > 0)
    #expect(engine.counters.ring_errors == 0)
    unsafe rt_engine_close(handle)
    #expect(unsafe rt_engine_state(handle) == RT_CLOSED)
  }

  @Test
  func `ports are named, renamed, listed with their connections, and removed`() async throws {
    let server = try await TestServer.start(periodFrames: 64)
    let engine = try TestEngine()
    let handle = unsafe engine.handle
    try await open(engine, on: server)
    let before = unsafe rt_graph_changes(handle)
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_anna") == 0)
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "system:playback_1") == 0)
    #expect(connections(of: engine) == "comlink:peer_anna\nsystem:playback_1\n")
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_bert") == 0)
    #expect(connections(of: engine) == "comlink:peer_bert\nsystem:playback_1\n")
    #expect(unsafe rt_connect(handle, "system:capture_2", "comlink:mic") == 0)
    #expect(connections(of: engine).hasPrefix("system:capture_2\ncomlink:mic\n"))
    var small = [CChar](repeating: 0, count: 10)
    #expect(unsafe rt_connections(handle, &small, 10) == -ENOSPC)
    unsafe rt_peer_clear_port(handle, 0)
    #expect(connections(of: engine) == "system:capture_2\ncomlink:mic\n")
    #expect(physicalPorts(of: engine, capture: true) == "system:capture_1\nsystem:capture_2\n")
    #expect(physicalPorts(of: engine, capture: false) == "system:playback_1\nsystem:playback_2\n")
    #expect(await eventually { unsafe rt_graph_changes(handle) > before })
  }

  @Test
  func `further inputs have ports, and what is connected there is captured`() async throws {
    let server = try await TestServer.start(periodFrames: 64)
    let engine = try TestEngine()
    let handle = unsafe engine.handle
    #expect(unsafe rt_input_add(handle, "program") == 0)
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_anna") == 0)
    try await open(engine, on: server)
    #expect(unsafe rt_input_add(handle, "late") == -EINVAL)
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "comlink:program") == 0)
    #expect(connections(of: engine).contains("comlink:peer_anna\ncomlink:program\n"))
    #expect(unsafe rt_peer_attach(handle, 0) == 0)
    let isHeard = await eventually {
      engine.write([Float](repeating: 0.25, count: 4096), to: 0)
      let channels = engine.captureChannels(8192)
      return channels[2].contains { abs($0 - 0.25) < 0.01 } && channels[0].allSatisfy { $0 == 0 }
    }
    #expect(isHeard)
  }

  @Test
  func `a client name in use is refused`() async throws {
    let server = try await TestServer.start(periodFrames: 64)
    let first = try TestEngine()
    let second = try TestEngine()
    try await open(first, on: server)
    #expect(unsafe rt_engine_open(second.handle, server.name, "comlink") == -EEXIST)
    #expect(unsafe rt_engine_state(second.handle) == RT_CLOSED)
    try await open(second, on: server, as: "comlink2")
  }

  @Test
  func `where no server is, opening says so, and libjack's complaint can be taken`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_engine_open(engine.handle, TestServer.unusedName(), "comlink") == -ENOENT)
    var lines: [String] = []
    while true {
      let line = unsafe text { unsafe rt_take_jack_message($0, $1) }
      if line.isEmpty { break }
      lines.append(line)
    }
    #expect(lines.contains { $0.contains("server") })
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func
    `a server that ends is noticed, closing does not hang, and a new one of another rate is joined`(
      signal: Int32
    ) async throws
  {
    let first = try await TestServer.start(periodFrames: 64)
    let engine = try TestEngine()
    let handle = unsafe engine.handle
    #expect(unsafe rt_peer_set_port(handle, 0, "peer_anna") == 0)
    try await open(engine, on: first)
    for slot in 0..<2 as Range<rt_slot> { #expect(unsafe rt_peer_attach(handle, slot) == 0) }
    #expect(await eventually { engine.counters.callbacks > 10 })
    for bus in 1...2 as ClosedRange<rt_bus> {
      #expect(unsafe rt_bus_open(handle, bus, 1, true) == 0)
    }
    #expect(await eventually { unsafe rt_bus_available(handle, 2) > 0 })
    first.end(signal: signal)
    #expect(await eventually { unsafe rt_engine_state(handle) == RT_SERVER_GONE })
    #expect(unsafe rt_connect(handle, "comlink:peer_anna", "system:playback_1") == -ENOTCONN)
    unsafe rt_peer_detach(handle, 0)
    unsafe rt_bus_close(handle, 2)
    unsafe rt_peer_clear_port(handle, 0)
    unsafe rt_engine_close(handle)
    #expect(unsafe rt_bus_open(handle, 1, 1, true) == -EBUSY)
    #expect(unsafe rt_bus_open(handle, 2, 1, false) == 0)
    _ = engine.take(100_000, of: 1, channels: 1)
    #expect(unsafe rt_peer_is_idle(handle, 0))
    #expect(unsafe !rt_peer_is_idle(handle, 1))

    let second = try await TestServer.start(
      name: first.name, sampleRate: 44_100, periodFrames: 128)
    try await open(engine, on: second)
    let callbacks = engine.counters.callbacks
    #expect(await eventually { engine.counters.callbacks > callbacks + 10 })
    #expect(engine.cycle?.sample_rate == 44_100)
    #expect(engine.cycle?.period_frames == 128)
    #expect(engine.counters.rate_changes == 1)
    #expect(engine.counters.period_changes == 1)
    #expect(await eventually { unsafe rt_bus_available(handle, 1) > 0 })
  }
}
