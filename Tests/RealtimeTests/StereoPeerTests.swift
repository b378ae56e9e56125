import CRealtime
import Testing

/// Slots of two channels.
@Suite("Stereo peers")
struct StereoPeerTests {
  private static let centre = Float(0.5).squareRoot()

  /// So many periods of a left and a right.
  private func say(_ left: Float, _ right: Float, periods: Int, to engine: TestEngine)
    -> TestEngine.Output
  {
    var output = TestEngine.Output()
    for _ in 0..<periods {
      let frames = engine.periodFrames
      let mean = [Float](repeating: 0.5 * (left + right), count: frames)
      let side = [Float](repeating: 0.5 * (left - right), count: frames)
      let count = unsafe rt_peer_write_stereo(engine.handle, 0, mean, side, UInt32(frames))
      #expect(Int(count) == frames)
      output = engine.run()
    }
    return output
  }

  private func engine() throws -> TestEngine {
    let engine = try TestEngine()
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    unsafe rt_peer_set_playing(engine.handle, 0, true)
    #expect(unsafe rt_peer_add_side(engine.handle, 0) == 0)
    return engine
  }

  @Test func `left goes to the left, right to the right, and the port has the mean`() throws {
    let engine = try engine()
    for (left, right) in [(0.5, 0), (0, 0.5), (0.4, -0.4), (0.3, 0.3)] as [(Float, Float)] {
      let output = say(left, right, periods: 4, to: engine)
      let (heardLeft, heardRight) = (output.left.last ?? 9, output.right.last ?? 9)
      #expect(abs(heardLeft - Self.centre * left) < 1e-6)
      #expect(abs(heardRight - Self.centre * right) < 1e-6)
      #expect(abs((engine.port(0).last ?? 9) - 0.5 * (left + right)) < 1e-6)
    }
  }

  @Test func `pan is the balance, gain holds for both, and both ramp`() throws {
    let engine = try engine()
    _ = say(0.2, 0.1, periods: 4, to: engine)
    unsafe rt_peer_set_pan(engine.handle, 0, 1)
    unsafe rt_peer_set_gain(engine.handle, 0, 2)
    let first = say(0.2, 0.1, periods: 1, to: engine)
    let steps = zip(first.left, first.left.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max() ?? 1 < 0.005)
    let output = say(0.2, 0.1, periods: 20, to: engine)
    #expect(abs(output.left.last ?? 9) < 1e-6)
    #expect(abs((output.right.last ?? 9) - 0.2) < 1e-6)
  }

  @Test func `a stereo bus has both channels, a mono one the mean`() throws {
    let engine = try engine()
    for (bus, channels) in [(1, 1), (7, 2)] as [(rt_bus, UInt32)] {
      unsafe rt_bus_set_gain(engine.handle, bus, 0, 1)
      #expect(unsafe rt_bus_open(engine.handle, bus, channels, true) == 0)
    }
    _ = say(0.5, 0.1, periods: 20, to: engine)
    #expect(abs((engine.port(ofBus: 1).last ?? 9) - 0.3) < 1e-6)
    let both = engine.take(10_000, of: 7, channels: 2).suffix(2)
    #expect(abs((both.first ?? 9) - Self.centre * 0.5) < 1e-6)
    #expect(abs((both.last ?? 9) - Self.centre * 0.1) < 1e-6)
  }

  @Test func `a slot that gets a side in the midst of its sound has no step`() throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    let half = [Float](repeating: 0.5, count: 64)
    engine.write(half + half, to: 0)
    #expect(unsafe rt_peer_add_side(engine.handle, 0) == 0)
    var output = engine.run(periods: 2)
    let silence = [Float](repeating: 0, count: 64)
    _ = unsafe rt_peer_write_stereo(engine.handle, 0, half, silence, 64)
    engine.write(half, to: 0)
    output.left += engine.run(periods: 2).left
    #expect(output.left.allSatisfy { abs($0 - Self.centre * 0.5) < 1e-6 })
  }

  @Test func `both channels run dry together, and what is no number is silent`() throws {
    let engine = try engine()
    _ = say(0.5, 0, periods: 4, to: engine)
    var output = engine.run(periods: 2)
    #expect(output.right.allSatisfy { abs($0) < 1e-6 })
    #expect(output.left.last == 0)
    output = say(0.5, 0, periods: 4, to: engine)
    #expect(abs((output.left.last ?? 9) - Self.centre * 0.5) < 1e-6)
    output = say(.nan, .infinity, periods: 1, to: engine)
    #expect((output.left + output.right).allSatisfy { $0.isFinite })
  }

  @Test func `eight slots have a side at once, and one that has left makes room`() throws {
    let engine = try TestEngine()
    for slot in 0...rt_slot(RT_MAX_STEREO_PEERS) {
      #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
      let wanted: Int32 = slot < RT_MAX_STEREO_PEERS ? 0 : -16
      #expect(unsafe rt_peer_add_side(engine.handle, slot) == wanted)
    }
    unsafe rt_peer_detach(engine.handle, 3)
    #expect(unsafe rt_peer_add_side(engine.handle, 3) == -22, "it is nobody's")
    #expect(unsafe rt_peer_add_side(engine.handle, rt_slot(RT_MAX_STEREO_PEERS)) == 0)
    #expect(unsafe rt_peer_add_side(engine.handle, 64) == -22)
    #expect(unsafe rt_peer_attach(engine.handle, 3) == 0)
    #expect(unsafe rt_peer_add_side(engine.handle, 3) == -16)
  }
}
