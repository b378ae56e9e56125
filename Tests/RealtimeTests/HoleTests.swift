import CRealtime
import Testing

/// Stops of the server, or of a client before the microphone: what passed meanwhile is told, however long.
@Suite("Holes")
struct HoleTests {
  /// Periods of a server and when their callbacks come.
  private final class Clocked {
    let engine: TestEngine
    private let period: UInt32

    init(periodFrames: Int = 64) throws {
      engine = try TestEngine(periodFrames: periodFrames)
      period = UInt32(periodFrames)
      engine.callbackNanoseconds = 1_000_000_000
      for _ in 0..<8 { run() }
      _ = engine.capture(100_000)
    }

    var periodNanoseconds: Int64 { Int64(period) * 1_000_000_000 / 48_000 }

    /// A period, the given time and frames of JACK's after the one before.
    func run(after nanoseconds: Int64? = nil, frames: UInt32? = nil) {
      engine.callbackNanoseconds += nanoseconds ?? periodNanoseconds
      engine.cycleMark &+= frames ?? period
      engine.run(mic: 0.25)
    }

    /// Takes all that was captured; returns the hole in it.
    func take() -> Int {
      var hole = Int(unsafe rt_capture_take_hole(engine.handle))
      while !engine.capture(100).isEmpty { hole += Int(unsafe rt_capture_take_hole(engine.handle)) }
      return hole
    }
  }

  @Test(arguments: [64, 128, 1024, 8192], [100, 150, 200, 300, 500, 1000, 3000, 5000])
  func `a client that stands still leaves a hole of whole periods`(
    periodFrames: Int, milliseconds: Int
  ) throws {
    let clocked = try Clocked(periodFrames: periodFrames)
    let missing = (milliseconds * 48 + periodFrames - 1) / periodFrames
    let frames = UInt32((missing + 1) * periodFrames)
    clocked.run(after: Int64(missing + 1) * clocked.periodNanoseconds, frames: frames)
    clocked.run()
    // Up to 50 ms, or a period, a straight line stands for them.
    let isBridged = missing * periodFrames <= max(2400, periodFrames)
    #expect(clocked.take() == (isBridged ? 0 : missing * periodFrames))
    #expect(clocked.engine.counters.missed_periods == UInt64(missing))
    #expect(clocked.take() == 0)
  }

  /// As jackd 1.9.21 does, whose frame time goes on by microseconds.
  @Test(arguments: [150, 500, 5000])
  func `a server that stood still is told by the clock`(milliseconds: Int) throws {
    let clocked = try Clocked(periodFrames: 128)
    clocked.run(
      after: Int64(milliseconds) * 1_000_000 + clocked.periodNanoseconds,
      frames: UInt32(milliseconds) * 1000 + 77)
    clocked.run()
    #expect(abs(clocked.take() - milliseconds * 48) <= 64)
  }

  @Test func `a server that makes up for late periods leaves no hole`() throws {
    let clocked = try Clocked(periodFrames: 128)
    clocked.run(after: 201 * clocked.periodNanoseconds, frames: 128)
    for _ in 0..<200 { clocked.run(after: 0) }
    for _ in 0..<50 { clocked.run() }
    #expect(clocked.take() == 0)
    #expect(clocked.engine.counters.missed_periods == 0)
  }

  @Test func `what it does not make up for is a hole`() throws {
    let clocked = try Clocked(periodFrames: 128)
    clocked.run(after: 201 * clocked.periodNanoseconds, frames: 128)
    for _ in 0..<50 { clocked.run(after: 0) }
    clocked.run()
    #expect(abs(clocked.take() - 150 * 128) <= 128)
  }

  @Test func `a hole is told when the frames after it are read and not before`() throws {
    let clocked = try Clocked(periodFrames: 128)
    clocked.run()
    clocked.run(after: 101 * clocked.periodNanoseconds, frames: 101 * 128)
    clocked.run()
    // One period from before, one that came after but before the hole was known.
    #expect(clocked.engine.capture(256).count == 256)
    #expect(unsafe rt_capture_take_hole(clocked.engine.handle) == 0)
    #expect(clocked.engine.capture(1).count == 1)
    #expect(unsafe rt_capture_take_hole(clocked.engine.handle) == 100 * 128)
    #expect(unsafe rt_capture_take_hole(clocked.engine.handle) == 0)
  }
}
