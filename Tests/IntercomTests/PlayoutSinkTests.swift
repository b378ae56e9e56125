import Audio
import Testing

@testable import Intercom

/// Decoded sound at 48 kHz on its way to the mix at JACK's rate.
@Suite struct PlayoutSinkTests {
  let engine: AudioEngine
  let slot = PeerSlot.all[3]

  init() throws {
    engine = try AudioEngine(wakeDescriptor: -1)
    engine.setPan(-1, for: slot)
    try #require(engine.attach(slot))
    engine.setPlaying(true, for: slot)
  }

  /// Writes a tone codec frame by codec frame and plays it; returns the left side.
  private func played(
    _ sink: PlayoutSink, seconds: Int, sampleRate: Int, framesPerPacket: Int = 480
  ) -> [Float] {
    var result: [Float] = []
    let periodFrames = 64
    let tone = Tone(hertz: 500)
    for start in stride(from: 0, to: seconds * 48_000, by: framesPerPacket) {
      let pcm = (start..<start + framesPerPacket).map(tone.sample)
      sink.write(pcm.span)
      while sink.fillFrames >= periodFrames {
        result += engine.runPeriod(
          mic: [Float](repeating: 0, count: periodFrames), sampleRate: sampleRate)
      }
    }
    return result
  }

  @Test func at48kHzWhatIsWrittenIsPlayed() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    let pcm = (0..<480).map(Tone(hertz: 500).sample)
    sink.write(pcm.span)
    #expect(sink.fillFrames == 480)
    let result = played(sink, seconds: 1, sampleRate: 48_000)
    #expect(result.count == 48_480 / 64 * 64)
    let expected = pcm + (0..<48_000).map(Tone(hertz: 500).sample)
    // After the fade in; the limiter lets this level through.
    let error = zip(result, expected).dropFirst(9600).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 0.0001)
  }

  @Test(arguments: [44_100, 96_000, 22_050], [120, 1920])
  func atOtherRatesTheSoundKeepsItsLengthAndShape(sampleRate: Int, framesPerPacket: Int) throws {
    let sink = PlayoutSink(engine: engine, slot: slot)
    try sink.setRate(sampleRate)
    let result = played(
      sink, seconds: 2, sampleRate: sampleRate, framesPerPacket: framesPerPacket)
    let heldBack = 64 + 20 * max(sampleRate, 48_000) / 48_000 * 2
    #expect((2 * sampleRate - heldBack...2 * sampleRate).contains(result.count))
    let expected = (0..<result.count).map(Tone(hertz: 500, sampleRate: sampleRate).sample)
    let error = zip(result, expected).dropFirst(sampleRate / 5).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 0.002)
    #expect(engine.underrunFrames(of: slot) == 0)
    #expect(engine.counters.ringErrors == 0)
  }

  @Test func aChangeOfRateHoldsFromTheNextFrameOn() throws {
    let sink = PlayoutSink(engine: engine, slot: slot)
    let pcm = [Float](repeating: 0.1, count: 480)
    try sink.setRate(96_000)
    for _ in 0..<10 { sink.write(pcm.span) }
    #expect((9500...9600).contains(sink.fillFrames))
    try sink.setRate(48_000)
    let before = sink.fillFrames
    sink.write(pcm.span)
    #expect(sink.fillFrames == before + 480)
  }

  @Test func aRateThatCannotBeConvertedIsRefused() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    #expect(throws: AudioError.self) { try sink.setRate(100) }
  }

  /// Plays a period of 64 frames.
  private func playPeriod() { engine.runPeriod(mic: [Float](repeating: 0, count: 64)) }

  @Test(arguments: [48_000, 96_000])
  func whatACallbackDidNotFindIsLeftOutWhenItComes(sampleRate: Int) throws {
    let sink = PlayoutSink(engine: engine, slot: slot)
    try sink.setRate(sampleRate)
    for _ in 0..<3 { playPeriod() }
    sink.noticeUnderruns(isPlaying: true)
    #expect(sink.missedFrames == 192)
    let pcm = [Float](repeating: 0.1, count: 2400)
    sink.write(pcm.span)
    let expected = 2400 * sampleRate / 48_000 - 192
    #expect((expected - 80...expected).contains(sink.fillFrames))
    #expect(sink.missedFrames == 0)
    let before = sink.fillFrames
    sink.noticeUnderruns(isPlaying: true)
    sink.write(pcm.span)
    #expect(sink.fillFrames >= before + 2400 * sampleRate / 48_000 - 1)
  }

  @Test func aLongHoleShiftsTheStream() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    for _ in 0..<38 { playPeriod() }
    sink.noticeUnderruns(isPlaying: true)
    #expect(sink.missedFrames == 0)
  }

  @Test func aPauseIsNoHole() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    playPeriod()
    sink.noticeUnderruns(isPlaying: false)
    sink.noticeUnderruns(isPlaying: true)
    #expect(sink.missedFrames == 0)
  }

  @Test func whatDoesNotFitIsLostAndNotRead() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    let pcm = [Float](repeating: 0.1, count: 2880)
    for _ in 0..<10 { sink.write(pcm.span) }
    #expect(sink.fillFrames == 16_384)
  }
}
