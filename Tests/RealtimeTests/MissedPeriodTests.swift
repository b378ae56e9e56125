import CRealtime
import Testing

/// Periods that the JACK server runs without us, told by its frame time.
@Suite("Missed periods")
struct MissedPeriodTests {
  /// An engine as JACK's clock passes.
  private struct Clocked {
    let engine: TestEngine

    init() throws {
      engine = try TestEngine()
      for _ in 0..<8 { run(mic: 0.25) }
      _ = engine.capture(10_000)
    }

    /// One period, so many frames after the one before.
    func run(after frames: UInt32 = 64, mic: Float = 0.25) {
      engine.cycleMark &+= frames
      engine.run(mic: mic)
    }

    var missed: UInt64 { engine.counters.missed_periods }
  }

  @Test(arguments: [1, 2, 5])
  func `two callbacks in a row that find periods missing prove it`(periods: UInt32) throws {
    let clocked = try Clocked()
    clocked.run(after: 64 * (periods + 1))
    #expect(clocked.missed == 0)
    clocked.run()
    #expect(clocked.missed == UInt64(periods))
    clocked.run()
    #expect(clocked.missed == UInt64(periods))
    #expect(clocked.engine.cycle?.count == clocked.engine.counters.callbacks + UInt64(periods))
  }

  @Test
  func `a callback so late that it reads the next period's time has missed nothing`() throws {
    let clocked = try Clocked()
    for _ in 0..<10 {
      clocked.run(after: 128)
      clocked.run(after: 0)
      clocked.run()
    }
    #expect(clocked.missed == 0)
    #expect(clocked.engine.capture(10_000).count == 30 * 64)
  }

  @Test
  func `two late readings in a row that were wrong are made up for by the next miss`() throws {
    let clocked = try Clocked()
    clocked.run(after: 128)
    clocked.run()
    clocked.run(after: 0)
    clocked.run()
    #expect(clocked.missed == 1)
    clocked.run(after: 128)
    for _ in 0..<3 { clocked.run() }
    #expect(clocked.missed == 1)
  }

  @Test(arguments: [65, 63, 32, 2464, 4_000_000_000, 0] as [UInt32])
  func `what is no gap of whole periods, or a stop, is left alone`(frames: UInt32) throws {
    let clocked = try Clocked()
    clocked.run(after: frames)
    for _ in 0..<3 { clocked.run() }
    #expect(clocked.missed == 0)
    #expect(clocked.engine.capture(10_000).count == 4 * 64)
  }

  @Test
  func `a straight line stands where the microphone was not heard`() throws {
    let clocked = try Clocked()
    clocked.run(after: 192)
    clocked.run(mic: 0.75)
    let frames = clocked.engine.capture(10_000)
    #expect(frames.count == 4 * 64)
    #expect(frames[..<64].allSatisfy { $0 == 0.25 })
    #expect(frames[192...].allSatisfy { $0 == 0.75 })
    for index in 64..<192 {
      let expected = 0.25 + 0.5 * Float(index - 63) / 129
      #expect(abs(frames[index] - expected) < 1e-5)
    }
  }

  @Test
  func `missed periods are as long in every channel`() throws {
    let clocked = try Clocked()
    clocked.run(after: 192)
    clocked.run(mic: 0.75)
    #expect(clocked.engine.captureChannels(10_000).map(\.count) == [256, 256, 256, 256])
  }

  @Test
  func `a peer's frames of missed periods are left out, the rest fades in at its time`() throws {
    let clocked = try Clocked()
    let engine = clocked.engine
    #expect(unsafe rt_peer_attach(engine.handle, 3) == 0)
    unsafe rt_peer_set_playing(engine.handle, 3, true)
    engine.write((0..<960).map { Float($0) / 1000 }, to: 3)
    for _ in 0..<4 { clocked.run() }
    #expect(abs(engine.port(3)[63] - 0.255) < 1e-6)
    clocked.run(after: 192)
    clocked.run()
    // Six periods were played or confirmed, two were missed: the last frame is the 512th.
    #expect(abs(engine.port(3)[63] - 0.511) < 1e-6)
    // It goes on from the last frame played, 0.319, and never falls silent on the way.
    #expect(abs(engine.port(3)[0] - 0.32) < 0.01)
    #expect(largestStep(engine.port(3)) < 0.04)
    #expect(unsafe rt_peer_underrun_frames(engine.handle, 3) == 0)
  }

  @Test
  func `frames of missed periods that have not come yet count as silence that was played`() throws {
    let clocked = try Clocked()
    let engine = clocked.engine
    #expect(unsafe rt_peer_attach(engine.handle, 5) == 0)
    unsafe rt_peer_set_playing(engine.handle, 5, true)
    engine.write([Float](repeating: 0.5, count: 160), to: 5)
    clocked.run()
    clocked.run(after: 192)
    clocked.run()
    // 32 frames were there; 96 of the missed ones and the period itself were not.
    #expect(unsafe rt_peer_underrun_frames(engine.handle, 5) == 160)
  }

  @Test
  func `a peer that begins after missed periods loses nothing of its sound`() throws {
    let clocked = try Clocked()
    let engine = clocked.engine
    clocked.run(after: 192)
    #expect(unsafe rt_peer_attach(engine.handle, 7) == 0)
    engine.write([Float](repeating: 0.5, count: 64), to: 7)
    clocked.run()
    #expect(clocked.missed == 2)
    #expect(unsafe rt_peer_fill(engine.handle, 7) == 0)
    #expect(engine.port(7)[63] > 0.49)
  }

  @Test
  func `another period or rate begins anew`() throws {
    let clocked = try Clocked()
    clocked.run(after: 128)
    clocked.engine.periodFrames = 128
    clocked.run(after: 128)
    clocked.engine.sampleRate = 96_000
    clocked.run(after: 128)
    clocked.run(after: 128)
    #expect(clocked.missed == 0)
  }
}
