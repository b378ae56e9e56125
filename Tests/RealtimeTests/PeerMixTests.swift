import CRealtime
import Testing

@Suite("Peer mix")
struct PeerMixTests {
  /// 10 ms at 48 kHz.
  private static let rampFrames = 480
  private static let centre = Float(0.5).squareRoot()

  @Test(arguments: [-1, -0.7, -0.25, 0, 0.1, 0.5, 1] as [Float])
  func `pan keeps the power`(pan: Float) throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, pan)
    engine.sound(0, level: 0.5)
    engine.write([Float](repeating: 0.5, count: 64), to: 0)
    let output = engine.run()
    let left = output.left[63] / 0.5
    let right = output.right[63] / 0.5
    #expect(abs(left * left + right * right - 1) < 1e-5)
    #expect(pan == 0 ? abs(left - right) < 1e-6 : (right > left) == (pan > 0))
    #expect(pan == -1 ? right == 0 : right > 0)
    #expect(pan == 1 ? left < 1e-6 : left > 0)
  }

  /// Set, and what then holds; gain 8 is the most.
  @Test(
    arguments: [(0, 0), (0.5, 0.5), (1, 1), (8, 8), (9, 8), (-1, 0), (.nan, 0)] as [(Float, Float)])
  func `gain is linear and bounded`(set: Float, expected: Float) throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, 3, set)
    engine.sound(3, level: 0.0625)
    engine.write([Float](repeating: 0.0625, count: 64), to: 3)
    let output = engine.run()
    #expect(engine.port(3) == [Float](repeating: 0.0625 * expected, count: 64))
    #expect(abs(output.left[63] - 0.0625 * expected * Self.centre) < 1e-6)
  }

  @Test(arguments: [16, 64, 480, 1_024])
  func `a change of gain takes 10 ms, every frame a part of it`(periodFrames: Int) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    engine.sound(0, level: 0.5)
    unsafe rt_peer_set_gain(engine.handle, 0, 0.25)
    let periods = Self.rampFrames / periodFrames + 2
    engine.write([Float](repeating: 0.5, count: periods * periodFrames), to: 0)
    var port: [Float] = [0.5]
    for _ in 0..<periods {
      engine.run()
      port += engine.port(0)
    }
    #expect(largestStep(port) <= 0.375 / Float(Self.rampFrames) * 1.01)
    #expect(port.firstIndex(of: 0.125).map { abs($0 - Self.rampFrames) <= 1 } == true)
    #expect(port.last == 0.125)
  }

  @Test
  func `a change of pan moves both sides without a step`() throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    engine.sound(0, level: 0.5)
    unsafe rt_peer_set_pan(engine.handle, 0, 1)
    engine.write([Float](repeating: 0.5, count: 640), to: 0)
    let output = engine.run(periods: 10)
    let bound = 0.5 / Float(Self.rampFrames) * 1.01
    #expect(largestStep([0.5] + output.left) <= bound)
    #expect(largestStep([0] + output.right) <= bound)
    #expect(output.right.last == 0.5)
  }

  @Test
  func `a peer's own port gets its sound after gain and before pan`() throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, 5, 0.5)
    unsafe rt_peer_set_pan(engine.handle, 5, 1)
    engine.sound(5, level: 0.5)
    let tone = (0..<64).map { Float($0) / 128 }
    engine.write(tone, to: 5)
    let output = engine.run()
    #expect(engine.port(5) == tone.map { $0 * 0.5 })
    #expect(output.right == engine.port(5))
    #expect(engine.port(6) == [Float](repeating: 0, count: 64))
  }

  @Test
  func `sixty-four peers sum, each to its own place`() throws {
    let engine = try TestEngine()
    let slots = 0..<rt_slot(RT_MAX_PEERS)
    for slot in slots {
      #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
      engine.write([Float](repeating: Float(slot) * 0.0001, count: 128), to: slot)
    }
    let output = engine.run(periods: 2)
    for slot in slots { #expect(engine.port(slot)[63] == Float(slot) * 0.0001) }
    let sum = Float(64 * 63 / 2) * 0.0001 * Self.centre
    #expect(abs(output.left[127] - sum) < 1e-5)
    #expect(abs(output.right[127] - sum) < 1e-5)
    for slot in slots { #expect(unsafe rt_peer_fill(engine.handle, slot) == 0) }
  }

  @Test(arguments: [-1, rt_slot(RT_MAX_PEERS), .max, .min])
  func `slots that do not exist are refused`(_ slot: rt_slot) throws {
    let engine = try TestEngine()
    #expect(unsafe rt_peer_attach(engine.handle, slot) < 0)
    #expect(engine.write([1], to: slot) == 0)
    #expect(unsafe rt_peer_fill(engine.handle, slot) == 0)
    #expect(unsafe !rt_peer_is_idle(engine.handle, slot))
    unsafe rt_peer_detach(engine.handle, slot)
    unsafe rt_peer_set_gain(engine.handle, slot, 1)
    unsafe rt_peer_set_pan(engine.handle, slot, 1)
    #expect(unsafe rt_peer_meter(engine.handle, slot).peak == 0)
  }
}
