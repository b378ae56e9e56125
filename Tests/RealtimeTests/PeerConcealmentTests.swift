import CRealtime
import Foundation
import Testing

/// What is heard where a ring runs dry amid sound.
@Suite("Peer concealment")
struct PeerConcealmentTests {
  private static func tone(_ frames: Range<Int>, hertz: Double = 440, rate: Double = 48_000)
    -> [Float]
  {
    frames.map { Float(0.5 * sin(2 * .pi * hertz * Double($0) / rate)) }
  }

  private static func attach(_ engine: TestEngine, slot: rt_slot = 0) {
    #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
    unsafe rt_peer_set_playing(engine.handle, slot, true)
  }

  /// What the slot's port gets in a period that begins so much after the one before, by JACK's clock.
  private static func period(_ engine: TestEngine, after frames: UInt32) -> [Float] {
    engine.cycleMark &+= frames
    return play(engine, periods: 1)
  }

  /// 100 ms of a tone, after which the slot's ring is empty.
  private static func sounding(
    _ engine: TestEngine, hertz: Double = 440, slot: rt_slot = 0
  ) -> Int {
    attach(engine, slot: slot)
    let rate = Int(engine.sampleRate)
    let frames = rate / 10 / engine.periodFrames * engine.periodFrames
    engine.write(tone(0..<frames, hertz: hertz, rate: Double(rate)), to: slot)
    engine.run(periods: frames / engine.periodFrames)
    return frames
  }

  /// The slot's port, over several periods.
  private static func play(_ engine: TestEngine, periods: Int, slot: rt_slot = 0) -> [Float] {
    (0..<periods).flatMap { _ in
      engine.run()
      return engine.port(slot)
    }
  }

  @Test(arguments: [16, 64, 128, 480], [261.6, 440, 1000.3, 3520])
  func `a tone goes on through a hole that is shorter than 10 ms`(
    periodFrames: Int, hertz: Double
  ) throws {
    let engine = try TestEngine(periodFrames: periodFrames)
    let start = Self.sounding(engine, hertz: hertz)
    let hole = max(1, 400 / periodFrames) * periodFrames
    var heard = Self.play(engine, periods: hole / periodFrames)
    engine.write(Self.tone(start + hole..<start + hole + 960, hertz: hertz), to: 0)
    heard += Self.play(engine, periods: 960 / periodFrames)
    let wanted = Self.tone(start..<start + heard.count, hertz: hertz)
    // Whole frames of lag do not quite fit a high tone.
    for (heard, wanted) in zip(heard, wanted) { #expect(abs(heard - wanted) < 0.5 * 0.2) }
    #expect(unsafe Int(rt_peer_underrun_frames(engine.handle, 0)) == hole)
  }

  @Test func `so it does where a part of a period is there`() throws {
    let engine = try TestEngine()
    let start = Self.sounding(engine)
    engine.write(Self.tone(start..<start + 23), to: 0)
    var heard = Self.play(engine, periods: 2)
    engine.write(Self.tone(start + 128..<start + 128 + 640), to: 0)
    heard += Self.play(engine, periods: 10)
    let wanted = Self.tone(start..<start + heard.count)
    for (heard, wanted) in zip(heard, wanted) { #expect(abs(heard - wanted) < 0.02) }
  }

  @Test(arguments: [16_000, 44_100, 48_000, 96_000] as [UInt32])
  func `a ring that stays dry is silent after 20 ms, without a step`(sampleRate: UInt32) throws {
    let engine = try TestEngine()
    engine.sampleRate = sampleRate
    _ = Self.sounding(engine)
    let held = Int(sampleRate) / 100
    let heard = Self.play(engine, periods: 4 * held / 64)
    #expect(heard[..<held].contains { abs($0) > 0.45 })
    #expect(heard[(2 * held)...].allSatisfy { $0 == 0 })
    #expect(largestStep(heard) < (sampleRate < 44_100 ? 0.1 : 0.04))
  }

  @Test func `what comes back after that fades in`() throws {
    let engine = try TestEngine()
    let start = Self.sounding(engine)
    _ = Self.play(engine, periods: 30)
    engine.write([Float](repeating: 0.5, count: 640), to: 0)
    let heard = Self.play(engine, periods: 10)
    #expect(largestStep([0] + heard) <= steepest(level: 0.5, fadeFrames: fadeInFrames))
    #expect(start > 0 && heard.last == 0.5)
  }

  @Test func `a talker who stopped is not heard again`() throws {
    let engine = try TestEngine()
    let start = Self.sounding(engine)
    let end = Self.tone(start..<start + 256).enumerated().map {
      $1 * max(0, 1 - Float($0) / 240)
    }
    engine.write(end, to: 0)
    _ = Self.play(engine, periods: 4)
    #expect(Self.play(engine, periods: 10).allSatisfy { abs($0) < 0.01 })
  }

  @Test func `nor is a pause filled`() throws {
    let engine = try TestEngine()
    _ = Self.sounding(engine)
    unsafe rt_peer_set_playing(engine.handle, 0, false)
    #expect(Self.play(engine, periods: 2)[fadeOutFrames...].allSatisfy { $0 == 0 })
  }

  @Test func `a second hole right after the first joins it without a step`() throws {
    let engine = try TestEngine(periodFrames: 16)
    let start = Self.sounding(engine)
    var heard = Self.play(engine, periods: 4)
    engine.write(Self.tone(start + 64..<start + 80), to: 0)
    heard += Self.play(engine, periods: 5)
    engine.write(Self.tone(start + 144..<start + 464), to: 0)
    heard += Self.play(engine, periods: 20)
    let wanted = Self.tone(start..<start + heard.count)
    for (heard, wanted) in zip(heard, wanted) { #expect(abs(heard - wanted) < 0.03) }
  }

  /// What was played last is partly in the ring, partly what was concealed.
  @Test func `holes all around the ring, close to each other and far, are bridged alike`() throws {
    let engine = try TestEngine()
    var end = Self.sounding(engine)
    for hole in 0..<100 {
      let start = end
      end += 128
      var heard = Self.play(engine, periods: 2)
      let there = (2 + 7 * hole % 41) * 64
      engine.write(Self.tone(end..<end + there), to: 0)
      end += there
      heard += Self.play(engine, periods: there / 64)
      for (heard, wanted) in zip(heard, Self.tone(start..<end)) {
        #expect(abs(heard - wanted) < 0.05, "hole \(hole)")
      }
    }
    #expect(end > 3 * Int(RT_PEER_RING_FRAMES))
  }

  /// After 15 ms, when it has begun to fade away.
  @Test func `a hole right after a long one begins as loud as what was there between`() throws {
    let engine = try TestEngine(periodFrames: 16)
    let start = Self.sounding(engine)
    var heard = Self.play(engine, periods: 45)
    engine.write(Self.tone(start + 720..<start + 768), to: 0)
    heard += Self.play(engine, periods: 10)
    #expect(largestStep(heard) < 0.06)
  }

  @Test(arguments: [0, 16, 640])
  func `periods missed amid concealment make no step`(frames: Int) throws {
    let engine = try TestEngine()
    Self.attach(engine)
    func period(after frames: UInt32 = 64) -> [Float] { Self.period(engine, after: frames) }
    engine.write(Self.tone(0..<1920), to: 0)
    var heard = (0..<30).flatMap { _ in period() }
    heard += period()
    engine.write(Self.tone(1984..<1984 + frames), to: 0)
    heard += period(after: 192)
    heard += (0..<4).flatMap { _ in period() }
    #expect(engine.counters.missed_periods == 2)
    #expect(largestStep(heard) < 0.06)
  }

  @Test(arguments: 0...5)
  func `a hole soon after a missed period goes on with the tone`(periods: Int) throws {
    let engine = try TestEngine()
    Self.attach(engine)
    func period(after frames: UInt32 = 64) -> [Float] { Self.period(engine, after: frames) }
    let hole = (33 + periods) * 64
    engine.write(Self.tone(0..<hole), to: 0)
    for _ in 0..<30 { _ = period() }
    _ = period(after: 128)
    // The second look at the frame time confirms it.
    for _ in 0...periods { _ = period() }
    #expect(engine.counters.missed_periods == 1)
    let heard = period() + period()
    for (heard, wanted) in zip(heard, Self.tone(hole..<hole + 128)) {
      #expect(abs(heard - wanted) < 0.02)
    }
  }

  @Test func `what was played at another rate is not gone on with`() throws {
    let engine = try TestEngine()
    engine.sampleRate = 44_100
    _ = Self.sounding(engine)
    engine.sampleRate = 96_000
    engine.write(Self.tone(0..<64), to: 0)
    _ = Self.play(engine, periods: 1)
    #expect(Self.play(engine, periods: 2)[32...].allSatisfy { $0 == 0 })
  }

  @Test func `silence takes no search from those who talk`() throws {
    let engine = try TestEngine()
    for slot in 0..<rt_slot(8) {
      #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
      unsafe rt_peer_set_playing(engine.handle, slot, true)
      let tone = Self.tone(0..<4800)
      engine.write(slot < 6 ? tone.map { $0 * 0.001 } : tone, to: slot)
    }
    engine.run(periods: 76)
    let going = (0..<rt_slot(8)).filter { engine.port($0).contains { abs($0) > 0.4 } }
    #expect(going == [6, 7])
  }

  /// Of many that run dry at once some fade out as before: the callback has its time to keep.
  @Test func `only so many begin in one period`() throws {
    let engine = try TestEngine()
    for slot in 0..<rt_slot(8) {
      #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
      unsafe rt_peer_set_playing(engine.handle, slot, true)
      engine.write(Self.tone(0..<4800), to: slot)
    }
    engine.run(periods: 75)
    engine.run()
    let going = (0..<rt_slot(8)).filter { abs(engine.port($0)[63]) + abs(engine.port($0)[50]) > 0 }
    #expect(going == [0, 1, 2, 3])
  }

  @Test func `what is no number is never repeated`() throws {
    let engine = try TestEngine()
    let start = Self.sounding(engine)
    var tone = Self.tone(start..<start + 64)
    tone[40] = .nan
    tone[41] = 1e30
    engine.write(tone, to: 0)
    #expect(Self.play(engine, periods: 40).allSatisfy { abs($0) < 0.6 })
  }
}
