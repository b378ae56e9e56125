import CRealtime
import Testing

@Suite("Microphone")
struct MicrophoneTests {
  /// 5 ms at 48 kHz.
  private static let gateFrames = 240

  @Test
  func `a closed gate, as it is at first, puts silence into the capture ring`() throws {
    let engine = try TestEngine()
    engine.run(mic: 0.5)
    #expect(unsafe rt_capture_available(engine.handle) == 64)
    #expect(engine.capture(100) == [Float](repeating: 0, count: 64))
  }

  @Test(arguments: [16, 64, 100, 1_024])
  func `the gate opens and closes in 5 ms without a step`(periodFrames: Int) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    let periods = Self.gateFrames / periodFrames + 2
    unsafe rt_set_talk(engine.handle, true)
    engine.run(periods: periods, mic: 0.5)
    let opening = engine.capture(periods * periodFrames)
    unsafe rt_set_talk(engine.handle, false)
    engine.run(periods: periods, mic: 0.5)
    let closing = engine.capture(periods * periodFrames)

    let bound = steepest(level: 0.5, fadeFrames: Self.gateFrames)
    #expect(largestStep([0] + opening + closing) <= bound)
    #expect(opening.firstIndex(of: 0.5).map { abs($0 - Self.gateFrames) <= 1 } == true)
    #expect(closing.firstIndex(of: 0).map { abs($0 - Self.gateFrames) <= 1 } == true)
    #expect(closing.last == 0)
  }

  @Test
  func `an open gate passes the microphone bit for bit`() throws {
    let engine = try TestEngine()
    unsafe rt_set_talk(engine.handle, true)
    engine.run(periods: 5)
    _ = engine.capture(1_000)
    let speech = (0..<64).map { Float($0) / 77 - 0.4 }
    engine.run(mic: speech)
    #expect(engine.capture(64) == speech)
  }

  @Test
  func `a full capture ring drops the newest frames and counts them`() throws {
    let engine = try TestEngine(periodFrames: 1_024)
    unsafe rt_set_talk(engine.handle, true)
    let fitting = Int(RT_CAPTURE_RING_FRAMES) / 1_024
    engine.run(mic: 0)
    for period in 1..<fitting { engine.run(mic: Float(period)) }
    #expect(engine.counters.capture_overruns == 0)
    _ = engine.capture(24)
    engine.run(mic: 1_000)
    #expect(engine.counters.capture_overruns == 1_000)
    let frames = engine.capture(Int(RT_CAPTURE_RING_FRAMES))
    #expect(frames.count == Int(RT_CAPTURE_RING_FRAMES))
    #expect(frames.suffix(25) == [Float(fitting - 1)] + [Float](repeating: 1_000, count: 24))
    #expect(engine.counters.ring_errors == 0)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func `frames that are no sound become silence`(bad: Float) throws {
    let engine = try TestEngine()
    unsafe rt_set_talk(engine.handle, true)
    engine.run(periods: 5, mic: 0.25)
    _ = engine.capture(1_000)
    var speech = [Float](repeating: 0.25, count: 64)
    speech[10] = bad
    engine.run(mic: speech)
    speech[10] = 0
    #expect(engine.capture(64) == speech)
    let meter = unsafe rt_take_mic_meter(engine.handle)
    #expect(meter.peak == 0.25)
    #expect(meter.rms > 0 && meter.rms < 0.25)
  }
}
