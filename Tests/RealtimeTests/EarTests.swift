import CRealtime
import Foundation
import Testing

/// What gives way to what on the main bus, period by period.
///
/// Slots are panned hard, so that each has a side of its own.
@Suite struct EarTests {
  private static let fallFrames = 960
  private static let riseFrames = 24_000
  /// A rank sounds for so long beyond its last peak.
  private static let heldFrames = 14_400
  /// -60 dBFS.
  private static let faintest: Float = 0.001
  private static let standard: UInt32 = 2
  private static let emergency: UInt32 = 5

  /// Slot 0 on the left, of the rank given, slot 1 on the right, of standard priority.
  private func makeEngine(
    rank: UInt32, dim: Float = 0.25, periodFrames: Int = 64
  ) throws -> TestEngine {
    let engine = try TestEngine(periodFrames: periodFrames)
    for (slot, pan) in [(0, -1), (1, 1)] as [(rt_slot, Float)] {
      unsafe rt_peer_set_pan(engine.handle, slot, pan)
    }
    unsafe rt_peer_set_rank(engine.handle, 0, rank)
    unsafe rt_ear_set_dim(engine.handle, rank, Self.standard, dim)
    engine.sound(0, level: 0.8)
    engine.sound(1, level: 0)
    // Slot 0 ran dry meanwhile.
    _ = run(engine, frames: 1_024, voice: 0)
    return engine
  }

  /// Runs so many frames with slot 0 at 0.8 and slot 1 at a level; what was played left.
  private func run(_ engine: TestEngine, frames: Int, voice: Float) -> [Float] {
    var left: [Float] = []
    while left.count < frames {
      engine.write([Float](repeating: 0.8, count: engine.periodFrames), to: 0)
      engine.write([Float](repeating: voice, count: engine.periodFrames), to: 1)
      left += engine.run().left
    }
    return left
  }

  @Test(arguments: [16, 64, 1_024], [0, 0.25, 0.5] as [Float])
  func `a voice dims what is below it in 20 ms, and no frame makes a step above -60 dBFS`(
    periodFrames: Int, dim: Float
  ) throws {
    let engine = try makeEngine(rank: 0, dim: dim, periodFrames: periodFrames)
    let before = run(engine, frames: 4_096, voice: 0)
    #expect(before.allSatisfy { abs($0 - 0.8) < 1e-6 })
    let during = run(engine, frames: 8_192, voice: 0.1)
    // A period until it is noticed; a whole way takes 1024 frames.
    let way = max(Self.fallFrames, Int(1_024 * (1 - dim)) + 1)
    let end = during.firstIndex { abs($0 - 0.8 * dim) < 1e-5 } ?? .max
    #expect((way...(way + 2 * periodFrames)).contains(end))
    #expect(largestStep(before + during) <= Self.faintest)
    #expect(during.last.map { abs($0 - 0.8 * dim) < 1e-6 } == true)
  }

  @Test func `it comes back in 500 ms once the voice is over, and not between its words`() throws {
    let engine = try makeEngine(rank: 0)
    _ = run(engine, frames: 4_096, voice: 0.1)
    let pause = run(engine, frames: Self.heldFrames - 128, voice: 0)
    #expect(pause.allSatisfy { abs($0 - 0.2) < 1e-5 })
    _ = run(engine, frames: 64, voice: 0.1)
    let after = run(engine, frames: 48_000, voice: 0)
    let begin = after.firstIndex { $0 > 0.201 } ?? .max
    let end = after.firstIndex { abs($0 - 0.8) < 1e-5 } ?? .max
    #expect(abs(begin - Self.heldFrames) < 256)
    #expect(abs(end - begin - Self.riseFrames) < 256)
    #expect(largestStep(after) <= Self.faintest)
  }

  @Test func `what is fainter than -40 dBFS, or not heard, dims nothing`() throws {
    let engine = try makeEngine(rank: 0)
    #expect(run(engine, frames: 4_096, voice: 0.009).allSatisfy { abs($0 - 0.8) < 1e-6 })
    unsafe rt_peer_set_gain(engine.handle, 1, 0)
    _ = run(engine, frames: 1_024, voice: 0.009)
    #expect(run(engine, frames: 4_096, voice: 0.5).allSatisfy { abs($0 - 0.8) < 1e-6 })
  }

  /// The rank of slot 0, and what is left of it while a voice of standard priority is heard.
  @Test(arguments: [(0, 0.25), (1, 0.25), (2, 1), (3, 1), (5, 1)] as [(UInt32, Float)])
  func `only what is told to gives way, and nothing to itself`(rank: UInt32, left: Float) throws {
    let engine = try makeEngine(rank: rank, dim: left)
    let during = run(engine, frames: 8_192, voice: 0.1)
    #expect(during.last.map { abs($0 - 0.8 * left) < 1e-5 } == true)
  }

  @Test func `of several voices the highest rank says how much is left`() throws {
    let engine = try makeEngine(rank: 1)
    unsafe rt_ear_set_dim(engine.handle, 1, Self.emergency, 0)
    unsafe rt_ear_set_dim(engine.handle, Self.standard, Self.emergency, 0)
    unsafe rt_peer_set_rank(engine.handle, 2, Self.emergency)
    unsafe rt_peer_set_pan(engine.handle, 2, 0)
    // In a pause, as nothing of it is to be concealed meanwhile.
    unsafe rt_peer_set_playing(engine.handle, 0, false)
    engine.sound(2, level: 0)
    var output = TestEngine.Output()
    for _ in 0..<200 {
      for slot: rt_slot in 0...2 { engine.write([Float](repeating: 0.5, count: 64), to: slot) }
      output = engine.run()
    }
    let alone = 0.5 * Float(0.5).squareRoot()
    #expect(output.left.allSatisfy { abs($0 - alone) < 1e-5 })
    #expect(output.right.allSatisfy { abs($0 - alone) < 1e-5 })
    // Their own ports and other buses have all of it.
    #expect(engine.port(0) == [Float](repeating: 0.5, count: 64))
  }

  @Test func `a slot that begins while it is dimmed begins dimmed`() throws {
    let engine = try makeEngine(rank: 0)
    unsafe rt_peer_set_rank(engine.handle, 2, 0)
    unsafe rt_peer_set_pan(engine.handle, 2, -1)
    _ = run(engine, frames: 4_096, voice: 0.1)
    #expect(unsafe rt_peer_attach(engine.handle, 2) == 0)
    engine.write([Float](repeating: 0.4, count: 128), to: 2)
    let loudest = run(engine, frames: 128, voice: 0.1).max() ?? 1
    #expect(abs(loudest - (0.2 + 0.1)) < 1e-5)
  }

  @Test func `while the user talks all is dimmed as told, and the deeper of two dims holds`() throws
  {
    let engine = try makeEngine(rank: 0, dim: 0.25)
    unsafe rt_ear_set_talk_dim(engine.handle, 0, 0.5)
    unsafe rt_ear_set_talking(engine.handle, true)
    let talking = run(engine, frames: 4_096, voice: 0)
    #expect(talking.last.map { abs($0 - 0.4) < 1e-5 } == true)
    let both = run(engine, frames: 4_096, voice: 0.1)
    #expect(both.last.map { abs($0 - 0.2) < 1e-5 } == true)
    unsafe rt_ear_set_talking(engine.handle, false)
    let after = run(engine, frames: 60_000, voice: 0)
    #expect(after.last.map { abs($0 - 0.8) < 1e-5 } == true)
    #expect(largestStep(talking + both + after) <= Self.faintest)
  }

  /// The volume that is set, and what then holds.
  @Test(arguments: [(0, 0), (0.5, 0.5), (4, 4), (5, 4), (-1, 0), (.nan, 0)] as [(Float, Float)])
  func `the volume is of all that is heard, moves without a step, and is bounded`(
    set: Float, expected: Float
  ) throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    engine.sound(0, level: 0.2)
    unsafe rt_ear_set_volume(engine.handle, set)
    var left: [Float] = [0.2]
    for _ in 0..<80 {
      engine.write([Float](repeating: 0.2, count: 64), to: 0)
      left += engine.run().left
    }
    #expect(abs((left.last ?? -1) - 0.2 * expected) < 1e-5)
    #expect(largestStep(left) <= Self.faintest)
  }

  @Test(arguments: [false, true])
  func `the sidetone follows the volume where it is told to`(isTracking: Bool) throws {
    let engine = try TestEngine()
    unsafe rt_set_sidetone(engine.handle, 1)
    unsafe rt_ear_set_tracking(engine.handle, isTracking)
    unsafe rt_ear_set_volume(engine.handle, 0.5)
    let heard = engine.run(periods: 40, mic: 0.5).left.last ?? 0
    #expect(abs(heard - 0.5 * Float(0.5).squareRoot() * (isTracking ? 0.5 : 1)) < 1e-5)
  }

  @Test(arguments: [1, 0.5, 0.0625] as [Float])
  func `nothing is above the ceiling, however loud it comes`(ceiling: Float) throws {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    unsafe rt_peer_set_gain(engine.handle, 0, 8)
    unsafe rt_ear_set_ceiling(engine.handle, ceiling)
    engine.sound(0, level: 0)
    engine.run(periods: 20)
    let tone = (0..<9_600).map { 4 * cos(2 * Float.pi * 440 * Float($0) / 48_000) }
    engine.write(tone, to: 0)
    let loudest = engine.run(periods: 150).left.reduce(0) { max($0, abs($1)) }
    #expect(loudest < ceiling)
    #expect(loudest > 0.891 * ceiling)
  }

  @Test func `below the ceiling sound passes bit for bit, and the ceiling moves without a step`()
    throws
  {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    engine.sound(0, level: 0.4)
    var left: [Float] = [0.4]
    for ceiling in [0.5, 0.125, 1] as [Float] {
      unsafe rt_ear_set_ceiling(engine.handle, ceiling)
      for _ in 0..<1_600 {
        engine.write([Float](repeating: 0.4, count: 64), to: 0)
        left += engine.run().left
      }
      if ceiling > 0.4 { #expect(left.last == 0.4) } else { #expect(left.last ?? 1 < ceiling) }
    }
    #expect(largestStep(left) <= Self.faintest)
  }

  @Test func `ranks and slots that do not exist are ignored, and factors are bounded`() throws {
    let engine = try makeEngine(rank: 0)
    for slot: rt_slot in [-1, rt_slot(RT_MAX_PEERS), .max, .min] {
      unsafe rt_peer_set_rank(engine.handle, slot, 1)
    }
    for rank: UInt32 in [UInt32(RT_RANKS), .max] {
      unsafe rt_peer_set_rank(engine.handle, 0, rank)
      unsafe rt_ear_set_dim(engine.handle, rank, 0, 0)
      unsafe rt_ear_set_dim(engine.handle, 0, rank, 0)
      unsafe rt_ear_set_talk_dim(engine.handle, rank, 0)
    }
    unsafe rt_ear_set_dim(engine.handle, 0, Self.standard, .nan)
    let muted = run(engine, frames: 4_096, voice: 0.1)
    #expect(muted.last.map { abs($0) < 1e-6 } == true)
    unsafe rt_ear_set_dim(engine.handle, 0, Self.standard, 7)
    let whole = run(engine, frames: 48_000, voice: 0.1)
    #expect(whole.last.map { abs($0 - 0.8) < 1e-5 } == true)
  }
}
