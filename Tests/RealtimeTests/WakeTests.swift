import CRealtime
import Glibc
import Testing

@Suite("Wake-up of the loop")
struct WakeTests {
  @Test
  func `with no threshold every period wakes`() throws {
    let events = try EventPipe()
    let engine = try TestEngine(wakeDescriptor: events.writingEnd)
    engine.run(periods: 3)
    #expect(events.take() == 3)
    #expect(engine.counters.wakes == 3)
  }

  @Test(arguments: [1, 64, 65, 480])
  func `with a threshold only a capture ring that reached it wakes`(frames: Int) throws {
    let events = try EventPipe()
    let engine = try TestEngine(wakeDescriptor: events.writingEnd)
    unsafe rt_set_wake_threshold(engine.handle, UInt32(frames))
    let periods = (frames + 63) / 64
    engine.run(periods: periods - 1)
    #expect(events.take() == 0)
    engine.run()
    #expect(events.take() == 1)
    _ = engine.capture(64 * periods)
    #expect(engine.counters.wakes == 1)
  }

  @Test
  func `the first wake since the last take is timed, on the monotonic clock`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_take_wake_nanoseconds(engine.handle) == 0)
    let before = monotonicNanoseconds()
    engine.run()
    let between = monotonicNanoseconds()
    engine.run()
    let wake = unsafe rt_take_wake_nanoseconds(engine.handle)
    #expect(wake >= before && wake <= between)
    #expect(unsafe rt_take_wake_nanoseconds(engine.handle) == 0)
  }

  private func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
