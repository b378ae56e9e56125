import CRealtime
import Foundation
import Testing

@Suite("Meters")
struct MeterTests {
  @Test
  func `the peak is the highest since the last take`() throws {
    let engine = try TestEngine()
    unsafe rt_set_talk(engine.handle, true)
    engine.run(periods: 5, mic: 0.1)
    var speech = [Float](repeating: 0.1, count: 64)
    speech[20] = -0.75
    engine.run(mic: speech)
    engine.run(mic: 0.1)
    #expect(unsafe rt_take_mic_meter(engine.handle).peak == 0.75)
    #expect(unsafe rt_take_mic_meter(engine.handle).peak == 0)
    engine.run(mic: 0.1)
    #expect(unsafe rt_take_mic_meter(engine.handle).peak == 0.1)
  }

  @Test(arguments: [16, 64, 1_000])
  func `the RMS of a sine settles at its amplitude over √2, whatever the period`(periodFrames: Int)
    throws
  {
    let engine = try TestEngine(periodFrames: periodFrames)
    unsafe rt_set_talk(engine.handle, true)
    for period in 0..<(96_000 / periodFrames) {
      engine.run(
        mic: (0..<periodFrames).map {
          0.5 * sin(2 * .pi * 1_000 * Float((period * periodFrames + $0) % 48) / 48_000)
        })
    }
    let settled = unsafe rt_take_mic_meter(engine.handle).rms
    #expect(abs(settled - 0.5 / Float(2).squareRoot()) < 0.005)
  }

  @Test
  func `300 ms after the sound the power has fallen to 1/e`() throws {
    let engine = try TestEngine(periodFrames: 48)
    unsafe rt_set_talk(engine.handle, true)
    engine.run(periods: 3_000, mic: 0.5)
    unsafe rt_set_talk(engine.handle, false)
    engine.run(periods: 300, mic: 0.5)
    let rms = unsafe rt_take_mic_meter(engine.handle).rms
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
    #expect(unsafe rt_take_peer_meter(engine.handle, 2).peak == 0.5)
    #expect(unsafe rt_take_mix_meter(engine.handle).peak == 0.25)
    #expect(unsafe rt_take_peer_meter(engine.handle, 3).peak == 0)
  }

  @Test
  func `a peer that has left has no level`() throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    #expect(unsafe rt_take_peer_meter(engine.handle, 0).rms > 0)
    unsafe rt_peer_detach(engine.handle, 0)
    engine.run()
    #expect(unsafe rt_take_peer_meter(engine.handle, 0).rms == 0)
  }
}
