import CRealtime
import Foundation
import Testing

@Suite("Meters")
struct MeterTests {
  /// Of 64 frames at 48 kHz.
  private static let periodsInWindow = 188

  private func peak(_ engine: TestEngine) -> Float {
    unsafe rt_mic_meter(engine.handle).peak
  }

  @Test
  func `a peak shows at once, is held for a quarter to half a second, and is every reader's`()
    throws
  {
    let engine = try TestEngine()
    engine.run(periods: 5, mic: 0.1)
    var speech = [Float](repeating: 0.1, count: 64)
    speech[20] = -0.75
    engine.run(mic: speech)
    #expect(peak(engine) == 0.75)
    #expect(peak(engine) == 0.75)
    var held = 0
    while peak(engine) == 0.75, held < 1000 {
      engine.run(mic: 0.1)
      held += 1
    }
    #expect((Self.periodsInWindow...2 * Self.periodsInWindow).contains(held))
    #expect(peak(engine) == 0.1)
  }

  @Test
  func `a reader that looks four times a second sees every peak, wherever it falls`() throws {
    for offset in stride(from: 0, to: 2 * Self.periodsInWindow, by: 7) {
      let engine = try TestEngine()
      engine.run(periods: 10 + offset, mic: 0.1)
      engine.run(mic: 0.5)
      var highest: Float = 0
      for period in 0..<2 * Self.periodsInWindow {
        engine.run(mic: 0.1)
        if period % Self.periodsInWindow == Self.periodsInWindow - 1 {
          highest = max(highest, peak(engine))
        }
      }
      #expect(highest == 0.5, "at \(offset)")
    }
  }

  @Test
  func `the sequence counts quarters of a second`() throws {
    let engine = try TestEngine(periodFrames: 480)
    engine.run(periods: 100)
    #expect(unsafe rt_mic_meter(engine.handle).sequence == 4)
    #expect(unsafe rt_bus_meter(engine.handle, rt_bus(RT_MAIN_BUS)).sequence == 4)
    #expect(unsafe rt_peer_meter(engine.handle, 0).sequence == 0, "nobody is there")
  }

  @Test(arguments: [16, 64, 1_000])
  func `the RMS of a sine settles at its amplitude over √2, whatever the period`(periodFrames: Int)
    throws
  {
    let engine = try TestEngine(periodFrames: periodFrames)
    for period in 0..<(96_000 / periodFrames) {
      engine.run(
        mic: (0..<periodFrames).map {
          0.5 * sin(2 * .pi * 1_000 * Float((period * periodFrames + $0) % 48) / 48_000)
        })
    }
    let settled = unsafe rt_mic_meter(engine.handle).rms
    #expect(abs(settled - 0.5 / Float(2).squareRoot()) < 0.005)
  }

  @Test
  func `300 ms after the sound the power has fallen to 1/e`() throws {
    let engine = try TestEngine(periodFrames: 48)
    engine.run(periods: 3_000, mic: 0.5)
    engine.run(periods: 300)
    let rms = unsafe rt_mic_meter(engine.handle).rms
    #expect(abs(rms * rms / 0.25 - 1 / Float(M_E)) < 0.02)
  }

  @Test
  func `a peer is metered before its gain, the mix after it`() throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, 2, 0.5)
    unsafe rt_peer_set_pan(engine.handle, 2, 1)
    engine.sound(2, level: 0.5)
    engine.write([Float](repeating: 0.5, count: 64), to: 2)
    engine.run()
    #expect(unsafe rt_peer_meter(engine.handle, 2).peak == 0.5)
    #expect(unsafe rt_bus_meter(engine.handle, rt_bus(RT_MAIN_BUS)).peak == 0.25)
    #expect(unsafe rt_peer_meter(engine.handle, 3).peak == 0)
  }

  @Test
  func `a peer that has left has no level`() throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    #expect(unsafe rt_peer_meter(engine.handle, 0).rms > 0)
    unsafe rt_peer_detach(engine.handle, 0)
    engine.run()
    #expect(unsafe rt_peer_meter(engine.handle, 0).rms == 0)
    #expect(unsafe rt_peer_meter(engine.handle, 0).peak == 0)
  }
}
