import CRealtime
import Testing

/// What is inserted in the microphone's place.
@Suite("Source")
struct SourceTests {
  /// What was inserted goes, and what comes then comes, in 240 frames each.
  private static let changePeriods = 10
  private static let slot: rt_slot = 3

  /// An engine whose peer sends `level`, at half gain, and whose microphone hears 0.25.
  private func engine(peer level: Float) throws -> TestEngine {
    let engine = try TestEngine()
    unsafe rt_peer_set_gain(engine.handle, Self.slot, 0.5)
    engine.sound(Self.slot, level: level)
    run(engine, Self.changePeriods, peer: level)
    return engine
  }

  /// So many periods, each with a period of the peer's sound; what was inserted.
  @discardableResult
  private func run(_ engine: TestEngine, _ periods: Int, peer: Float) -> [Float] {
    var captured: [Float] = []
    for _ in 0..<periods {
      engine.write([Float](repeating: peer, count: engine.periodFrames), to: Self.slot)
      engine.cycleMark &+= UInt32(engine.periodFrames)
      engine.run(mic: 0.25)
      captured += engine.captureChannels(4 * engine.periodFrames)[1]
    }
    return captured
  }

  private func frames(_ start: Int, _ count: Int) -> [Float] {
    (start..<start + count).map { Float($0) }
  }

  private func record(_ engine: TestEngine, _ count: Int) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: count) { frames, taken in
      guard let start = frames.baseAddress else { return }
      taken = unsafe Int(rt_record_read(engine.handle, start, UInt32(count)))
    }
  }

  @Test
  func
    `a peer is sent back as it came, in the same period, whatever its gain, and beside the microphone`()
    throws
  {
    let engine = try engine(peer: 0.5)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_PEER, Self.slot) == 0)
    run(engine, Self.changePeriods, peer: 0.5)
    let marked = (0..<64).map { 0.5 + Float($0) / 1000 }
    engine.write(marked, to: Self.slot)
    engine.run(mic: 0.25)
    let channels = engine.captureChannels(64)
    #expect(channels[0] == [Float](repeating: 0.25, count: 64))
    #expect(channels[1] == marked)
  }

  @Test
  func `the change to another source and back has no step`() throws {
    let engine = try engine(peer: -0.5)
    var captured = run(engine, Self.changePeriods, peer: -0.5)
    unsafe rt_set_source(engine.handle, RT_SOURCE_PEER, Self.slot)
    captured += run(engine, Self.changePeriods, peer: -0.5)
    #expect(captured.last == -0.5)
    unsafe rt_set_source(engine.handle, RT_SOURCE_MICROPHONE, 0)
    captured += run(engine, Self.changePeriods, peer: -0.5)
    #expect(captured.last == 0)
    #expect(largestStep(captured) <= steepest(level: 0.5, fadeFrames: 240))
  }

  @Test
  func `where the peer is gone silence is sent back, and not the microphone`() throws {
    let engine = try engine(peer: 0.5)
    unsafe rt_set_source(engine.handle, RT_SOURCE_PEER, Self.slot)
    run(engine, Self.changePeriods, peer: 0.5)
    unsafe rt_peer_detach(engine.handle, Self.slot)
    engine.run(periods: Self.changePeriods, mic: 0.25)
    _ = engine.capture(10_000)
    engine.run(mic: 0.25)
    #expect(engine.captureChannels(64)[1] == [Float](repeating: 0, count: 64))
  }

  @Test
  func `signal and record keep step from the first frame on`() throws {
    let engine = try engine(peer: 0)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot) == 0)
    let signal = frames(1, 20 * 64)
    #expect(
      unsafe rt_signal_write(engine.handle, signal, UInt32(signal.count)) == UInt32(signal.count))
    var captured: [Float] = []
    for period in 0..<20 {
      engine.write(frames(10_000 + period * 64, 64), to: Self.slot)
      engine.run(mic: 0.25)
      captured += engine.captureChannels(64)[1]
    }
    // Nothing was inserted before, so the signal began at once, and is all there after 240 frames.
    #expect(captured.suffix(1000) == signal.suffix(1000))
    #expect(record(engine, 5000) == frames(10_000, 20 * 64))
    #expect(unsafe rt_signal_lost(engine.handle) == 0)
  }

  @Test
  func `periods that were missed are missed in both`() throws {
    let engine = try engine(peer: 0)
    unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot)
    let signal = frames(1, 30 * 64)
    unsafe rt_signal_write(engine.handle, signal, UInt32(signal.count))
    engine.write(frames(10_000, 30 * 64), to: Self.slot)
    _ = engine.capture(10_000)
    var captured: [Float] = []
    for period in 0..<20 {
      engine.cycleMark &+= period == 10 ? 3 * 64 : 64
      engine.run(mic: 0.25)
      captured += engine.captureChannels(10_000)[1]
    }
    #expect(engine.counters.missed_periods == 2)
    #expect(captured.count == 22 * 64)
    #expect(captured.last == signal[22 * 64 - 1])
    let heard = record(engine, 5000)
    #expect(heard.count == 22 * 64)
    #expect(heard.last == Float(10_000 + 22 * 64 - 1))
    #expect(unsafe rt_signal_lost(engine.handle) == 0)
  }

  @Test
  func `a signal that runs dry is silence, and counted`() throws {
    let engine = try engine(peer: 0)
    unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot)
    unsafe rt_signal_write(engine.handle, frames(1, 100), 100)
    engine.run(periods: 2)
    #expect(unsafe rt_signal_lost(engine.handle) == 28)
    #expect(engine.captureChannels(128)[1].suffix(28).allSatisfy { $0 == 0 })
  }

  @Test
  func `a record that nobody takes runs over, and that is counted`() throws {
    let engine = try engine(peer: 0)
    engine.periodFrames = 1024
    unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot)
    let period = [Float](repeating: 0.1, count: 1024)
    for _ in 0..<17 {
      unsafe rt_signal_write(engine.handle, period, 1024)
      engine.run()
    }
    #expect(unsafe rt_signal_lost(engine.handle) == 1024)
  }

  @Test
  func `a signal begins anew only when the last one has faded out, and then with empty rings`()
    throws
  {
    let engine = try engine(peer: 0)
    unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot)
    unsafe rt_signal_write(engine.handle, frames(1, 1000), 1000)
    engine.run(periods: Self.changePeriods)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot) == -16)
    unsafe rt_set_source(engine.handle, RT_SOURCE_MICROPHONE, 0)
    engine.run()
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot) == -16)
    engine.run(periods: Self.changePeriods)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, Self.slot) == 0)
    #expect(record(engine, 100).isEmpty)
    engine.run()
    #expect(unsafe rt_signal_lost(engine.handle) == 64)
  }

  @Test(arguments: [-1, 64])
  func `no slot, no source`(slot: rt_slot) throws {
    let engine = try TestEngine()
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_PEER, slot) == -22)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_SIGNAL, slot) == -22)
    #expect(unsafe rt_set_source(engine.handle, RT_SOURCE_MICROPHONE, slot) == 0)
  }
}
