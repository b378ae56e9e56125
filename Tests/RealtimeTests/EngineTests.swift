import CRealtime
import Foundation
import Testing

@Suite("Engine")
struct EngineTests {
  @Test
  func `the period that ran last is published, and counted by the engine itself`() throws {
    let engine = try TestEngine()
    #expect(engine.cycle == nil)
    engine.cycleMark = 7
    engine.run(periods: 3)
    let cycle = try #require(engine.cycle)
    #expect(cycle.count == 3)
    #expect(cycle.start_nanoseconds == 7)
    #expect(cycle.next_nanoseconds == 7)
    #expect(cycle.frame_time == 7)
    #expect(cycle.period_frames == 64)
    #expect(cycle.sample_rate == 48_000)
    #expect(engine.counters.callbacks == 3)
  }

  @Test
  func `a published period is never a mixture of two`() throws {
    let engine = try TestEngine(periodFrames: 16)
    let periods: UInt32 = 20_000
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for period in 1...periods {
        engine.cycleMark = period
        engine.run()
      }
      isDone.signal()
    }
    var mixtures = 0
    var seen: UInt64 = 0
    while seen < periods {
      guard let cycle = engine.cycle else { continue }
      let isWhole =
        cycle.start_nanoseconds == cycle.count && cycle.next_nanoseconds == cycle.count
        && cycle.frame_time == cycle.count && cycle.count >= seen
      if !isWhole { mixtures += 1 }
      seen = cycle.count
    }
    isDone.wait()
    #expect(mixtures == 0)
  }

  @Test
  func `a period longer than the limit plays silence and is counted`() throws {
    let engine = try TestEngine(periodFrames: Int(RT_MAX_PERIOD_FRAMES) + 1)
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    engine.write([Float](repeating: 0.5, count: Int(RT_PEER_RING_FRAMES)), to: 0)
    let output = engine.run(mic: 0.5)
    #expect(output.left.allSatisfy { $0 == 0 })
    #expect(output.right.allSatisfy { $0 == 0 })
    #expect(engine.port(0).allSatisfy { $0 == 0 })
    #expect(engine.counters.refused_periods == 1)
    #expect(engine.counters.wakes == 1)
    engine.periodFrames = Int(RT_MAX_PERIOD_FRAMES)
    #expect(engine.run().left.last != 0)
    #expect(engine.counters.refused_periods == 1)
  }

  @Test
  func `the callback's time is added up, and its longest can be started anew`() throws {
    let engine = try TestEngine()
    engine.run(periods: 10)
    let counters = engine.counters
    #expect(counters.callback_max_nanoseconds > 0)
    #expect(counters.callback_total_nanoseconds >= counters.callback_max_nanoseconds)
    unsafe rt_reset_callback_max(engine.handle)
    #expect(engine.counters.callback_max_nanoseconds == 0)
  }

  @Test
  func `without a server there is no session, and what needs one says so`() throws {
    let engine = try TestEngine()
    var text = [CChar](repeating: 0, count: 100)
    #expect(unsafe rt_engine_state(engine.handle) == RT_CLOSED)
    #expect(unsafe rt_connect(engine.handle, "a:b", "c:d") == -ENOTCONN)
    #expect(unsafe rt_connections(engine.handle, &text, 100) == -ENOTCONN)
    #expect(unsafe rt_physical_ports(engine.handle, true, &text, 100) == -ENOTCONN)
    unsafe rt_engine_close(engine.handle)
    #expect(unsafe rt_engine_state(engine.handle) == RT_CLOSED)
  }

  @Test
  func `port names are checked before JACK sees them`() throws {
    let engine = try TestEngine()
    let longest = String(repeating: "n", count: Int(RT_NAME_BYTES) - 1)
    #expect(unsafe rt_peer_set_port(engine.handle, 0, longest) == 0)
    #expect(unsafe rt_peer_set_port(engine.handle, 0, longest + "n") == -ENAMETOOLONG)
    #expect(unsafe rt_peer_set_port(engine.handle, 1, longest) == -EEXIST)
    #expect(unsafe rt_peer_set_port(engine.handle, 1, "mic") == -EEXIST)
    #expect(unsafe rt_peer_set_port(engine.handle, 1, "") == -EINVAL)
    #expect(unsafe rt_peer_set_port(engine.handle, 64, "peer_anna") == -EINVAL)
    unsafe rt_peer_clear_port(engine.handle, 0)
    #expect(unsafe rt_peer_set_port(engine.handle, 1, longest) == 0)
  }
}
