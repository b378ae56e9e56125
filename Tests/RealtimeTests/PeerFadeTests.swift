import CRealtime
import Testing

@Suite("Peer fades")
struct PeerFadeTests {
  /// 5 ms at 48 kHz.
  private static let leaveFrames = 240

  @Test(arguments: [16, 64, 480])
  func `a peer fades in`(periodFrames: Int) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    engine.write([Float](repeating: 0.5, count: 960), to: 0)
    let port = playPort(of: engine, periods: 960 / periodFrames)
    #expect(largestStep([0] + port) <= steepest(level: 0.5, fadeFrames: fadeInFrames))
    #expect(port.firstIndex(of: 0.5).map { $0 < fadeInFrames } == true)
  }

  @Test
  func `attaching empties the ring first`() throws {
    let engine = try TestEngine()
    engine.write([Float](repeating: 0.5, count: 1_000), to: 0)
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    #expect(unsafe rt_peer_fill(engine.handle, 0) == 0)
    #expect(engine.run().left == [Float](repeating: 0, count: 64))
  }

  @Test(arguments: [16, 64, 480])
  func `a detached peer fades out over 5 ms of its ring and is idle then`(periodFrames: Int) throws
  {
    let engine = try TestEngine(periodFrames: periodFrames)
    engine.sound(0, level: 0.5)
    engine.write([Float](repeating: 0.5, count: 2 * Self.leaveFrames + periodFrames), to: 0)
    unsafe rt_peer_detach(engine.handle, 0)
    #expect(unsafe !rt_peer_is_idle(engine.handle, 0))
    #expect(unsafe rt_peer_attach(engine.handle, 0) < 0)
    let port = playPort(of: engine, periods: Self.leaveFrames / periodFrames + 1)
    #expect(largestStep([0.5] + port) <= steepest(level: 0.5, fadeFrames: Self.leaveFrames))
    #expect(port.firstIndex(of: 0).map { abs($0 - Self.leaveFrames) <= 1 } == true)
    #expect(unsafe rt_peer_is_idle(engine.handle, 0))
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
  }

  @Test
  func `a peer detached with an empty ring leaves within a period, without a step`() throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    unsafe rt_peer_detach(engine.handle, 0)
    let port = playPort(of: engine, periods: 1)
    #expect(largestStep([0.5] + port) <= steepest(level: 0.5, fadeFrames: fadeOutFrames))
    #expect(unsafe rt_peer_is_idle(engine.handle, 0))
    #expect(unsafe rt_peer_underrun_frames(engine.handle, 0) == 0)
  }

  @Test
  func `a peer detached before it ever sounded is idle at once`() throws {
    let engine = try TestEngine()
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
    unsafe rt_peer_detach(engine.handle, 0)
    #expect(unsafe rt_peer_is_idle(engine.handle, 0))
    #expect(engine.run().left == [Float](repeating: 0, count: 64))
    #expect(unsafe rt_peer_attach(engine.handle, 0) == 0)
  }

  @Test(arguments: [16, 64, 480], [0, 1, 5, 15])
  func `a ring that runs dry after so many frames of a period fades, and fades in again`(
    periodFrames: Int, lastFrames: Int
  ) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    engine.sound(0, level: 0.5)
    engine.write([Float](repeating: 0.5, count: lastFrames), to: 0)
    var port = [0.5] + playPort(of: engine, periods: 4)
    #expect(port.last == 0)
    #expect(unsafe Int(rt_peer_underrun_frames(engine.handle, 0)) == 4 * periodFrames - lastFrames)
    engine.write([Float](repeating: 0.5, count: 8 * periodFrames), to: 0)
    port += playPort(of: engine, periods: 8)
    #expect(port.last == 0.5)
    #expect(largestStep(port) <= steepest(level: 0.5, fadeFrames: fadeOutFrames))
    #expect(unsafe Int(rt_peer_underrun_frames(engine.handle, 0)) == 4 * periodFrames - lastFrames)
  }

  @Test(arguments: [32, 33, 50, 63])
  func `a long remainder fades over its last 32 frames`(lastFrames: Int) throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    engine.write([Float](repeating: 0.5, count: lastFrames), to: 0)
    let port = playPort(of: engine, periods: 1)
    #expect(port.lastIndex(of: 0.5) ?? -1 == lastFrames - fadeOutFrames - 1)
    #expect(port.firstIndex(of: 0) == lastFrames - 1)
    #expect(largestStep([0.5] + port) <= steepest(level: 0.5, fadeFrames: fadeOutFrames))
  }

  @Test
  func `while nothing is playing an empty ring is a pause, not an underrun`() throws {
    let engine = try TestEngine()
    engine.sound(0, level: 0.5)
    unsafe rt_peer_set_playing(engine.handle, 0, false)
    engine.run(periods: 10)
    #expect(unsafe rt_peer_underrun_frames(engine.handle, 0) == 0)
  }

  /// The slot's port, over several periods.
  private func playPort(of engine: TestEngine, periods: Int) -> [Float] {
    (0..<periods).flatMap { _ in
      engine.run()
      return engine.port(0)
    }
  }
}
