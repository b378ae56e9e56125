import CRealtime
import Glibc
import TestKit
import Testing

/// Slots that are heard from a direction around the head.
@Suite("Places")
struct PlaceTests {
  private static let taps = Int(RT_PLACE_TAPS)
  private static let fadeFrames = Int(RT_PLACE_FADE_FRAMES)

  private func place(_ engine: TestEngine, _ left: [Float], _ right: [Float], slot: rt_slot = 0) {
    unsafe rt_peer_set_place(engine.handle, slot, left, right, UInt32(left.count))
  }

  /// One tap, so late.
  private func tap(_ gain: Float, after frames: Int = 0) -> [Float] {
    var taps = [Float](repeating: 0, count: Self.taps)
    taps[frames] = gain
    return taps
  }

  private func engine(periodFrames: Int = 64) throws -> TestEngine {
    let engine = try TestEngine(periodFrames: periodFrames)
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    unsafe rt_peer_set_playing(engine.handle, 0, true)
    return engine
  }

  /// What the ears have of a sound, of whole periods, and what the slot's port has.
  private func hear(
    _ sound: [Float], _ engine: TestEngine
  ) -> (left: [Float], right: [Float], port: [Float]) {
    var heard: (left: [Float], right: [Float], port: [Float]) = ([], [], [])
    for start in stride(from: 0, to: sound.count, by: engine.periodFrames) {
      engine.write(Array(sound[start..<start + engine.periodFrames]), to: 0)
      let output = engine.run()
      heard.left += output.left
      heard.right += output.right
      heard.port += engine.port(0)
    }
    return heard
  }

  private static func noise(_ frames: Int, seed: UInt64, peak: Float = 0.2) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<frames).map { _ in .random(in: -peak...peak, using: &random) }
  }

  private static func filtered(_ sound: [Float], by taps: [Float]) -> [Float] {
    sound.indices.map { frame in
      taps.indices.reduce(0) { $1 > frame ? $0 : $0 + taps[$1] * sound[frame - $1] }
    }
  }

  @Test(arguments: [16, 64, 100, 480, 1024], [128, 256])
  func `each ear has what its response makes of the sound, and the port has the sound`(
    periodFrames: Int, taps: Int
  ) throws {
    let engine = try engine(periodFrames: periodFrames)
    let (left, right) = (
      Self.noise(taps, seed: 1, peak: 0.1), Self.noise(taps, seed: 2, peak: 0.1)
    )
    place(engine, left, right)
    let sound = Self.noise(4800 / periodFrames * periodFrames, seed: 3)
    let heard = hear(sound, engine)
    // Beside the fade-in of what begins.
    let after = 512
    for (ear, taps) in [(heard.left, left), (heard.right, right)] {
      let wanted = Self.filtered(sound, by: taps)
      let most = zip(ear, wanted).dropFirst(after).map { abs($0 - $1) }.max()
      #expect(try #require(most) < 1e-5)
    }
    #expect(heard.port.dropFirst(after) == sound.dropFirst(after))
  }

  @Test func `gain holds, the pan does not, and without a place it is the pan again`() throws {
    let engine = try engine()
    place(engine, tap(0.5), tap(0.25, after: 30))
    unsafe rt_peer_set_gain(engine.handle, 0, 2)
    unsafe rt_peer_set_pan(engine.handle, 0, 1)
    let level = [Float](repeating: 0.1, count: 6400)
    var heard = hear(level, engine)
    #expect(abs((heard.left.last ?? 9) - 0.1) < 1e-6 && abs((heard.right.last ?? 9) - 0.05) < 1e-6)
    unsafe rt_peer_set_place(engine.handle, 0, nil, nil, 0)
    heard = hear(level, engine)
    #expect(abs(heard.left.last ?? 9) < 1e-6 && abs((heard.right.last ?? 9) - 0.2) < 1e-6)
  }

  @Test(arguments: [16, 64, 480])
  func `places change without a step`(periodFrames: Int) throws {
    let engine = try engine(periodFrames: periodFrames)
    // A level shows each step as it is.
    let level = [Float](repeating: 0.5, count: 2400 / periodFrames * periodFrames)
    var all = hear(level, engine)
    for (left, right) in [(0.9, 0.1), (0.1, 0.9), (0.5, 0.5)] as [(Float, Float)] {
      place(engine, tap(left), tap(right, after: 5))
      let heard = hear(level, engine)
      all.left += heard.left
      all.right += heard.right
      #expect(abs((heard.left.last ?? 9) - 0.5 * left) < 1e-5)
    }
    unsafe rt_peer_set_place(engine.handle, 0, nil, nil, 0)
    let end = hear(level, engine)
    for ear in [all.left + end.left, all.right + end.right] {
      let settled = ear.dropFirst(256)
      let steps = zip(settled, settled.dropFirst()).map { abs($0 - $1) }
      #expect(try #require(steps.max()) <= 0.001)
    }
  }

  @Test func `of changes in quick succession the last is heard`() throws {
    let engine = try engine()
    let level = [Float](repeating: 0.5, count: 64)
    for step in 0..<40 {
      place(engine, tap(Float(step) / 40), tap(0))
      _ = hear(level, engine)
    }
    let heard = hear([Float](repeating: 0.5, count: 64 * 40), engine)
    #expect(abs((heard.left.last ?? 9) - 0.5 * 39 / 40) < 1e-5)
  }

  @Test func `a slot that begins, or begins anew, is in its place at once`() throws {
    let engine = try engine()
    place(engine, tap(1), tap(0))
    let level = [Float](repeating: 0.5, count: 640)
    for _ in 0..<2 {
      let heard = hear(level, engine)
      #expect(heard.right.allSatisfy { $0 == 0 })
      #expect(abs((heard.left.last ?? 9) - 0.5) < 1e-6)
      unsafe rt_peer_detach(engine.handle, 0)
      engine.run(periods: 10)
      #expect(unsafe rt_peer_is_idle(engine.handle, 0))
      #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    }
  }

  @Test func `other buses stay as they are, and so does a slot of two channels`() throws {
    let engine = try engine()
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == 0)
    place(engine, tap(0.1), tap(0.1))
    let level = [Float](repeating: 0.5, count: 640)
    _ = hear(level, engine)
    #expect(abs((engine.port(ofBus: 1).last ?? 9) - 0.5) < 1e-6)
    #expect(unsafe rt_peer_add_side(engine.handle, 0) == 0)
    let heard = hear(level, engine)
    #expect(abs((heard.left.last ?? 9) - 0.5 * Float(0.5).squareRoot()) < 1e-6)
  }

  @Test func `responses that are no sound do no harm, and slots that do not exist are ignored`()
    throws
  {
    let engine = try engine()
    let bad = (0..<Self.taps).map { $0 % 2 == 0 ? Float.nan : .infinity }
    place(engine, bad, bad)
    for slot in [-1, 64, .max] as [rt_slot] { place(engine, bad, bad, slot: slot) }
    let heard = hear([Float](repeating: 0.5, count: 640), engine)
    #expect((heard.left + heard.right).allSatisfy { $0.isFinite && abs($0) <= 1 })
  }
}
