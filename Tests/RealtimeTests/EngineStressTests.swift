import CRealtime
import Foundation
import Synchronization
import TestKit
import Testing

@Suite("Engine, two threads")
struct EngineStressTests {
  private static let periods = 20_000
  /// However slow this thread is beside the other.
  private static let acts = 50_000
  private static let slots: rt_slot = 8

  @Test
  func `peers come, go, change and run dry beside the callback, and nothing breaks`() throws {
    let engine = try TestEngine()
    unsafe rt_set_wake_threshold(engine.handle, UInt32(RT_CAPTURE_RING_SAMPLES))
    let isDone = DispatchSemaphore(value: 0)
    let loudest = Loudest()
    let ofBuses = Loudest()
    let progress = Progress()
    Thread.detachNewThread {
      while progress.periods < Self.periods || progress.acts.load(ordering: .relaxed) < Self.acts {
        progress.periods += 1
        let output = engine.run(mic: 0.5)
        for frame in output.left + output.right { loudest.note(frame) }
      }
      isDone.signal()
    }
    var random = SplitMix64(seed: 3)
    while isDone.wait(timeout: .now()) == .timedOut {
      disturb(engine, ofBuses, using: &random)
      progress.acts.add(1, ordering: .relaxed)
    }
    #expect(loudest.magnitude < 1)
    #expect(loudest.magnitude > 0)
    #expect(ofBuses.magnitude < 1)
    #expect(ofBuses.magnitude > 0)
    #expect(engine.counters.ring_errors == 0)
    #expect(engine.counters.callbacks == progress.periods)
  }

  /// One random act of the loop or of control; what buses hand over is noted.
  private func disturb(
    _ engine: TestEngine, _ loudest: Loudest, using random: inout SplitMix64
  ) {
    let handle = unsafe engine.handle
    let slot = rt_slot.random(in: 0..<Self.slots, using: &random)
    let bus = rt_bus.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<26, using: &random) {
    case 0: _ = unsafe rt_peer_attach(handle, slot)
    case 1: unsafe rt_peer_detach(handle, slot)
    case 2: unsafe rt_peer_set_gain(handle, slot, .random(in: 0...8, using: &random))
    case 3: unsafe rt_peer_set_pan(handle, slot, .random(in: -1...1, using: &random))
    case 4: unsafe rt_peer_set_playing(handle, slot, .random(using: &random))
    case 5: move(slot, of: engine, using: &random)
    case 6: _ = unsafe rt_bus_meter(handle, bus)
    case 7: _ = unsafe rt_peer_meter(handle, slot)
    case 8: _ = unsafe rt_bus_open(handle, bus, bus == 2 ? 2 : 1, true)
    case 9: unsafe rt_bus_close(handle, bus)
    case 10: unsafe rt_bus_set_gain(handle, bus, slot, .random(in: 0...8, using: &random))
    case 11: unsafe rt_set_sidetone(handle, .random(in: 0...1, using: &random))
    case 12:
      for sample in engine.take(2_000, of: bus, channels: bus == 2 ? 2 : 1) { loudest.note(sample) }
    case 13: _ = engine.capture(2_000)
    default: engine.write([Float](repeating: 0.3, count: 128), to: slot)
    }
  }
}

extension EngineStressTests {
  /// Puts a slot anywhere, or leaves it to its pan.
  private func move(_ slot: rt_slot, of engine: TestEngine, using random: inout SplitMix64) {
    guard Bool.random(using: &random) else {
      return unsafe rt_peer_set_place(engine.handle, slot, nil, nil, 0)
    }
    let taps = [Float](
      repeating: .random(in: -0.01...0.01, using: &random),
      count: .random(in: 1...Int(RT_PLACE_TAPS), using: &random))
    unsafe rt_peer_set_place(engine.handle, slot, taps, taps, UInt32(taps.count))
  }
}

/// How far both threads are.
private final class Progress: @unchecked Sendable {
  /// The callback's thread's, until it has ended.
  var periods = 0
  let acts = Atomic(0)
}

/// The largest magnitude of all frames noted; written by one thread, read after it has ended.
private final class Loudest: @unchecked Sendable {
  private(set) var magnitude: Float = 0

  /// A frame that is not a number counts as too loud.
  func note(_ frame: Float) {
    if !(abs(frame) <= magnitude) { magnitude = frame.isNaN ? .infinity : abs(frame) }
  }
}
