import CRealtime
import Testing

/// Frames of what is heard: the microphone, what is inserted in its place, further inputs, and the mix.
@Suite("Capture")
struct CaptureTests {
  @Test
  func `the microphone is captured bit for bit, from the first frame on`() throws {
    let engine = try TestEngine()
    let speech = (0..<64).map { Float($0) / 77 - 0.4 }
    engine.run(mic: speech)
    #expect(unsafe rt_capture_available(engine.handle) == 64)
    let channels = engine.captureChannels(100)
    let silence = [Float](repeating: 0, count: 64)
    #expect(channels == [speech, silence, silence, silence])
  }

  @Test
  func `beside it is what the mix plays in the same period, after the limiter`() throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, 0, 8)
    unsafe rt_peer_set_pan(engine.handle, 0, -0.5)
    engine.sound(0, level: 0.5)
    _ = engine.captureChannels(1000)
    engine.write((0..<64).map { Float($0) / 64 }, to: 0)
    let output = engine.run(mic: 0.25)
    let channels = engine.captureChannels(100)
    #expect(channels[0] == [Float](repeating: 0.25, count: 64))
    #expect(channels[2] == output.left)
    #expect(channels[3] == output.right)
    #expect(output.left.contains { $0 > 0.891 })
  }

  @Test
  func `the sidetone is no part of it`() throws {
    let engine = try TestEngine()
    unsafe rt_set_sidetone(engine.handle, 1)
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    engine.sound(0, level: 0.5)
    engine.run(periods: 10, mic: 0.25)
    _ = engine.captureChannels(1000)
    engine.write([Float](repeating: 0.5, count: 64), to: 0)
    let output = engine.run(mic: 0.25)
    #expect((output.left.last ?? 0) > 0.6)
    let channels = engine.captureChannels(100)
    #expect(abs((channels[2].last ?? 0) - 0.5) < 1e-6)
    #expect(abs(channels[3].last ?? 1) < 1e-6)
  }

  @Test
  func `further inputs have channels of their own, in their order`() throws {
    let engine = try TestEngine()
    let names = ["program_left", "program_right", "director"]
    for (number, name) in names.enumerated() {
      #expect(unsafe rt_input_add(engine.handle, name) == number)
    }
    #expect(unsafe rt_capture_channels(engine.handle) == 7)
    let inputs = (1...3).map { input in (0..<64).map { Float(input) / 10 + Float($0) / 1000 } }
    engine.run(mic: [Float](repeating: 0.75, count: 64), inputs: inputs)
    let channels = engine.captureChannels(100)
    #expect(channels[0] == [Float](repeating: 0.75, count: 64))
    #expect(Array(channels[2..<5]) == inputs)
    #expect(channels[5] == channels[1])
  }

  @Test
  func `an input needs a name that nobody has, and there are six`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_peer_set_port(engine.handle, 0, "peer_anna") == 0)
    #expect(unsafe rt_input_add(engine.handle, "") == -22)
    for name in ["mic", "mix_left", "peer_anna"] {
      #expect(unsafe rt_input_add(engine.handle, name) == -17)
    }
    #expect(unsafe rt_input_add(engine.handle, String(repeating: "x", count: 64)) == -36)
    for number in 0..<6 { #expect(unsafe rt_input_add(engine.handle, "in_\(number)") == number) }
    #expect(unsafe rt_input_add(engine.handle, "in_6") == -28)
    #expect(unsafe rt_peer_set_port(engine.handle, 1, "in_3") == -17)
    #expect(unsafe Int(rt_capture_channels(engine.handle)) == Int(RT_MAX_CAPTURE_CHANNELS))
  }

  @Test(arguments: 0...6)
  func `a full ring drops the newest frames of all channels alike, and counts them`(
    inputs: Int
  ) throws {
    let engine = try TestEngine(periodFrames: 1_024)
    for input in 0..<inputs { #expect(unsafe rt_input_add(engine.handle, "in_\(input)") == input) }
    let capacity = Int(RT_CAPTURE_RING_SAMPLES) / (4 + inputs)
    let fitting = capacity / 1_024
    let silence = [[Float]](
      repeating: [Float](repeating: 0, count: 1_024), count: inputs)
    for period in 0..<fitting {
      engine.run(mic: [Float](repeating: Float(period), count: 1_024), inputs: silence)
    }
    #expect(engine.counters.capture_overruns == 0)
    let room = capacity - fitting * 1_024
    _ = engine.captureChannels(24)
    engine.run(mic: [Float](repeating: 1_000, count: 1_024), inputs: silence)
    #expect(engine.counters.capture_overruns == UInt64(1_024 - 24 - room))
    let channels = engine.captureChannels(capacity)
    #expect(channels.allSatisfy { $0.count == capacity })
    #expect(channels[0].suffix(25 + room).first == Float(fitting - 1))
    #expect(channels[0].suffix(24 + room).allSatisfy { $0 == 1_000 })
    #expect(engine.counters.ring_errors == 0)
  }

  @Test
  func `what nobody wants is skipped, in whole frames`() throws {
    let engine = try TestEngine()
    engine.run(mic: (0..<64).map { Float($0) })
    #expect(unsafe rt_capture_skip(engine.handle, 10) == 10)
    #expect(engine.capture(2) == [10, 11])
    #expect(unsafe rt_capture_skip(engine.handle, 100) == 52)
    #expect(engine.capture(10).isEmpty)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func `frames that are no sound become silence`(bad: Float) throws {
    let engine = try TestEngine()
    #expect(unsafe rt_input_add(engine.handle, "in") == 0)
    let quiet = [Float](repeating: 0.25, count: 64)
    for _ in 0..<5 { engine.run(mic: quiet, inputs: [quiet]) }
    _ = engine.capture(1_000)
    var speech = quiet
    speech[10] = bad
    engine.run(mic: speech, inputs: [speech])
    speech[10] = 0
    let channels = engine.captureChannels(64)
    #expect(channels[0] == speech)
    #expect(channels[2] == speech)
    let meter = unsafe rt_mic_meter(engine.handle)
    #expect(meter.peak == 0.25)
    #expect(meter.rms > 0 && meter.rms < 0.25)
  }
}
