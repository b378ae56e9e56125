import CRealtime
import TestKit
import Testing

/// The buses beside the main one.
@Suite("Buses")
struct BusTests {
  /// A bus opens, and closes, in 240 frames.
  private static let changePeriods = 4
  private static let centre = Float(0.5).squareRoot()

  /// An engine with a slot that is heard, at no gain on the main bus.
  private func engine(slot: rt_slot = 0, level: Float) throws -> TestEngine {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, slot, 0)
    engine.sound(slot, level: level)
    return engine
  }

  /// So many periods of a slot that says the same in each frame.
  private func say(_ level: Float, periods: Int, to engine: TestEngine, slot: rt_slot = 0) {
    for _ in 0..<periods {
      engine.write([Float](repeating: level, count: engine.periodFrames), to: slot)
      engine.run()
    }
  }

  @Test
  func `a mono bus has its slots at their gains, and neither the main gain nor the pan`() throws {
    let engine = try engine(level: 0.5)
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    unsafe rt_bus_set_gain(engine.handle, 2, 0, 0.5)
    #expect(unsafe rt_bus_open(engine.handle, 2, 1, true) == 0)
    say(0.5, periods: Self.changePeriods, to: engine)
    #expect(engine.port(ofBus: 2).last == 0.25)
    #expect(engine.take(10_000, of: 2, channels: 1).suffix(64) == engine.port(ofBus: 2))
    #expect(engine.port(ofBus: 3) == [Float](repeating: 0, count: 64), "nobody opened it")
    #expect(engine.port(0) == [Float](repeating: 0, count: 64))
  }

  @Test
  func `a stereo bus has the pan, and its port is silent`() throws {
    let engine = try engine(level: 0.5)
    unsafe rt_peer_set_pan(engine.handle, 0, 1)
    unsafe rt_bus_set_gain(engine.handle, 7, 0, 1)
    #expect(unsafe rt_bus_open(engine.handle, 7, 2, true) == 0)
    say(0.5, periods: Self.changePeriods, to: engine)
    let samples = engine.take(10_000, of: 7, channels: 2)
    #expect(samples.count == Self.changePeriods * 128)
    #expect(samples.last == 0.5)
    #expect(abs(samples[samples.count - 2]) < 1e-6)
    #expect(engine.port(ofBus: 7) == [Float](repeating: 0, count: 64))
  }

  @Test
  func `mix-minus is all but one, whatever the ear has`() throws {
    let engine = try TestEngine()
    for slot in 0..<4 as Range<rt_slot> {
      unsafe rt_peer_set_gain(engine.handle, slot, slot == 1 ? 0 : 1)
      unsafe rt_bus_set_gain(engine.handle, 1, slot, slot == 3 ? 0 : 1)
      engine.sound(slot, level: 0.1)
    }
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, false) == 0)
    for _ in 0..<Self.changePeriods {
      for slot in 0..<4 as Range<rt_slot> {
        engine.write([Float](repeating: 0.01 * Float(slot + 1), count: 64), to: slot)
      }
      engine.run()
    }
    #expect(abs((engine.port(ofBus: 1).last ?? 0) - 0.06) < 1e-6)
    #expect(unsafe rt_bus_available(engine.handle, 1) == 0, "it has no ring")
  }

  @Test
  func `its limiter is its own: nothing above full scale, and the mix beside it as it was`() throws
  {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 8)
    engine.sound(0, level: 0.5)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, false) == 0)
    var loudest: Float = 0
    for period in 0..<50 {
      let level: Float = period % 2 == 0 ? 0.5 : -0.5
      engine.write([Float](repeating: level, count: 64), to: 0)
      let output = engine.run()
      #expect(output.left.last == level)
      loudest = engine.port(ofBus: 1).reduce(loudest) { max($0, abs($1)) }
    }
    #expect(loudest > 0.891 && loudest < 1)
    #expect(unsafe rt_bus_meter(engine.handle, 1).peak == loudest)
    #expect(unsafe rt_bus_meter(engine.handle, rt_bus(RT_MAIN_BUS)).peak == 0.5)
  }

  @Test
  func `it opens and closes without a step, and is then silent and without a level`() throws {
    let engine = try engine(level: 0.5)
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 1)
    var played: [Float] = [0]
    func run(_ periods: Int) {
      for _ in 0..<periods {
        say(0.5, periods: 1, to: engine)
        played += engine.port(ofBus: 1)
      }
    }
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == 0)
    run(Self.changePeriods)
    #expect(played.last == 0.5)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == -16)
    unsafe rt_bus_close(engine.handle, 1)
    run(1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == -16)
    run(Self.changePeriods)
    #expect(played.last == 0)
    #expect(largestStep(played) <= steepest(level: 0.5, fadeFrames: 240))
    #expect(unsafe rt_bus_meter(engine.handle, 1).rms == 0)
    #expect(unsafe rt_bus_available(engine.handle, 1) == 0)
    #expect(unsafe rt_bus_open(engine.handle, 1, 2, true) == 0)
    run(1)
    #expect(engine.take(1000, of: 1, channels: 2).count == 128, "it begins empty")
  }

  @Test
  func `one that is closed before a period ran may be opened at once`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == 0)
    unsafe rt_bus_close(engine.handle, 1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 2, true) == 0)
    engine.run()
    #expect(engine.take(1000, of: 1, channels: 2) == [Float](repeating: 0, count: 128))
  }

  @Test
  func `a change of gain takes 10 ms, every frame a part of it`() throws {
    let engine = try engine(level: 0.5)
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == 0)
    say(0.5, periods: Self.changePeriods, to: engine)
    _ = engine.take(10_000, of: 1, channels: 1)
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 0.25)
    say(0.5, periods: 10, to: engine)
    let samples = engine.take(10_000, of: 1, channels: 1)
    #expect(largestStep([0.5] + samples) <= 0.375 / 480 * 1.01)
    #expect(samples.firstIndex(of: 0.125).map { abs($0 - 480) <= 1 } == true)
    #expect(samples.last == 0.125)
  }

  @Test
  func `periods that were missed are silent ones in the ring`() throws {
    let engine = try engine(level: 0.5)
    unsafe rt_bus_set_gain(engine.handle, 1, 0, 1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, true) == 0)
    for _ in 0..<8 {
      engine.cycleMark &+= 64
      say(0.5, periods: 1, to: engine)
    }
    _ = engine.take(10_000, of: 1, channels: 1)
    var samples: [Float] = []
    for period in 0..<6 {
      engine.cycleMark &+= period == 2 ? 3 * 64 : 64
      say(0.5, periods: 1, to: engine)
      samples += engine.take(10_000, of: 1, channels: 1)
    }
    #expect(engine.counters.missed_periods == 2)
    #expect(samples.count == 8 * 64)
  }

  @Test(arguments: [1, 2])
  func `a full ring drops the newest frames whole, and counts them`(channels: Int) throws {
    let engine = try TestEngine(periodFrames: 1000)
    #expect(unsafe rt_bus_open(engine.handle, 1, UInt32(channels), true) == 0)
    let capacity = Int(RT_BUS_RING_SAMPLES) / channels
    let periods = capacity / 1000 + 2
    engine.run(periods: periods)
    #expect(unsafe Int(rt_bus_available(engine.handle, 1)) == capacity)
    #expect(
      unsafe Int(rt_bus_lost_frames(engine.handle, 1)) == periods * 1000 - capacity)
    #expect(engine.take(100_000, of: 1, channels: channels).count == capacity * channels)
    #expect(engine.counters.ring_errors == 0)
  }

  @Test(arguments: [-1, 0, rt_bus(RT_MAX_BUSES), .max, .min])
  func `buses that do not exist, and the main one, are not opened`(_ bus: rt_bus) throws {
    let engine = try TestEngine()
    #expect(unsafe rt_bus_open(engine.handle, bus, 1, true) == -22)
    #expect(unsafe rt_bus_set_port(engine.handle, bus, "line") == -22)
    unsafe rt_bus_close(engine.handle, bus)
    unsafe rt_bus_set_gain(engine.handle, bus, -1, 1)
    unsafe rt_bus_clear_port(engine.handle, bus)
    #expect(unsafe rt_bus_available(engine.handle, bus) == 0)
    #expect(engine.take(10, of: bus, channels: 1).isEmpty)
    #expect(unsafe rt_bus_lost_frames(engine.handle, bus) == 0)
    #expect(unsafe rt_bus_meter(engine.handle, bus).peak == 0)
    for channels in [0, 3] as [UInt32] {
      #expect(unsafe rt_bus_open(engine.handle, 1, channels, true) == -22)
    }
  }
}

/// The matrix of crosspoints against the plain arithmetic of one.
@Suite("Crosspoints")
struct CrosspointTests {
  private static let slots = 6
  private static let rampFrames = 480

  /// A gain on its way to where it was set.
  private struct Ramp {
    var now: Float = 0
    var target: Float = 0
    var step: Float = 0
    var left = 0

    mutating func aim(_ wanted: Float) {
      guard wanted != target else { return }
      target = wanted
      step = (wanted - now) / Float(CrosspointTests.rampFrames)
      left = CrosspointTests.rampFrames
    }

    mutating func next() -> Float {
      guard left > 0 else { return now }
      left -= 1
      now = left == 0 ? target : now + step
      return left == 0 ? target : now
    }
  }

  @Test(arguments: [16, 64, 500], 0..<4 as Range<UInt64>)
  func `every bus is the sum of its slots at their gains, frame by frame`(
    periodFrames: Int, seed: UInt64
  ) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    let handle = unsafe engine.handle
    let buses: [rt_bus] = [1, 4, 7]
    var random = SplitMix64(seed: seed)
    for bus in buses { #expect(unsafe rt_bus_open(handle, bus, 1, true) == 0) }
    for slot in 0..<Self.slots {
      unsafe rt_peer_set_gain(handle, rt_slot(slot), 0)
      engine.sound(rt_slot(slot), level: 0)
    }
    for _ in 0...(240 / periodFrames) {
      for slot in 0..<Self.slots {
        engine.write([Float](repeating: 0, count: periodFrames), to: rt_slot(slot))
      }
      engine.run()
    }
    for bus in buses { _ = engine.take(100_000, of: bus, channels: 1) }
    var model = [[Ramp]](
      repeating: [Ramp](repeating: Ramp(), count: Self.slots), count: buses.count)
    for _ in 0..<(6000 / periodFrames) {
      for (index, bus) in buses.enumerated() {
        for slot in 0..<Self.slots where Int.random(in: 0..<20, using: &random) == 0 {
          let gain = Float.random(in: 0...2, using: &random)
          unsafe rt_bus_set_gain(handle, bus, rt_slot(slot), gain)
          model[index][slot].aim(gain)
        }
      }
      var sounds: [[Float]] = []
      for slot in 0..<Self.slots {
        let sound = (0..<periodFrames).map { _ in Float.random(in: -0.05...0.05, using: &random) }
        engine.write(sound, to: rt_slot(slot))
        sounds.append(sound)
      }
      engine.run()
      for (index, bus) in buses.enumerated() {
        var expected = [Float](repeating: 0, count: periodFrames)
        for slot in 0..<Self.slots {
          for frame in 0..<periodFrames {
            expected[frame] += sounds[slot][frame] * model[index][slot].next()
          }
        }
        let found = engine.take(100_000, of: bus, channels: 1)
        try #require(found.count == periodFrames)
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-5 }, "bus \(bus)")
        #expect(engine.port(ofBus: bus) == found)
      }
    }
  }

  @Test
  func `a slot that begins is at once where it was set`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, false) == 0)
    engine.run(periods: 5)
    unsafe rt_bus_set_gain(engine.handle, 1, 9, 0.5)
    engine.sound(9, level: 0.5)
    #expect(engine.port(ofBus: 1).last == 0.25)
  }
}

@Suite("Sidetone")
struct SidetoneTests {
  /// A ramp's 10 ms.
  private static let rampPeriods = 8
  private static let centre = Float(0.5).squareRoot()

  @Test
  func `as it comes there is none`() throws {
    let engine = try TestEngine()
    #expect(engine.run(periods: 10, mic: 0.5).left.allSatisfy { $0 == 0 })
  }

  @Test(arguments: [(0.125, 0.125), (1, 1), (2, 1), (-1, 0), (.nan, 0)] as [(Float, Float)])
  func `it is the microphone of the same period, in the middle, up to as loud as a peer`(
    set: Float, expected: Float
  ) throws {
    let engine = try TestEngine()
    unsafe rt_set_sidetone(engine.handle, set)
    engine.run(periods: Self.rampPeriods, mic: 0.1)
    let speech = (0..<64).map { Float($0) / 100 - 0.3 }
    let output = engine.run(mic: speech)
    let wanted = speech.map { $0 * expected * Self.centre }
    #expect(zip(output.left, wanted).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(output.left == output.right)
  }

  @Test
  func `it comes, changes and goes in 10 ms without a step`() throws {
    let engine = try TestEngine()
    var played: [Float] = []
    for gain in [1, 0.25, 0] as [Float] {
      unsafe rt_set_sidetone(engine.handle, gain)
      played += engine.run(periods: Self.rampPeriods, mic: 0.5).left
      #expect(abs((played.last ?? 1) - 0.5 * gain * Self.centre) < 1e-6)
    }
    #expect(largestStep([0] + played) <= 0.5 * Self.centre / 480 * 1.01)
    #expect(played.last == 0)
  }

  @Test
  func `it is limited and metered with the mix, and on no other bus`() throws {
    let engine = try TestEngine()
    unsafe rt_set_sidetone(engine.handle, 1)
    #expect(unsafe rt_bus_open(engine.handle, 1, 1, false) == 0)
    let loudest = engine.run(periods: 20, mic: 4).left.reduce(0) { max($0, abs($1)) }
    #expect(loudest > 0.891 && loudest < 1)
    #expect(unsafe rt_bus_meter(engine.handle, rt_bus(RT_MAIN_BUS)).peak == loudest)
    #expect(engine.port(ofBus: 1) == [Float](repeating: 0, count: 64))
  }

  @Test
  func `frames that are no sound are silent`() throws {
    let engine = try TestEngine()
    unsafe rt_set_sidetone(engine.handle, 1)
    engine.run(periods: Self.rampPeriods, mic: 0.5)
    var speech = [Float](repeating: 0.5, count: 64)
    speech[7] = .nan
    let output = engine.run(mic: speech).left
    #expect(output[7] == 0)
    #expect(abs(output[8] - 0.5 * Self.centre) < 1e-6)
  }
}
