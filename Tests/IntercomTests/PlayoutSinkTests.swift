import Audio
import Testing

@testable import Intercom

/// Sound at JACK's rate on its way to the mix.
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
  private func played(_ sink: PlayoutSink, seconds: Int) -> [Float] {
    var result: [Float] = []
    let (framesPerPacket, periodFrames) = (480, 64)
    let tone = Tone(hertz: 500)
    for start in stride(from: 0, to: seconds * 48_000, by: framesPerPacket) {
      let pcm = (start..<start + framesPerPacket).map(tone.sample)
      sink.write(pcm.span)
      while sink.fillFrames >= periodFrames {
        result += engine.runPeriod(
          mic: [Float](repeating: 0, count: periodFrames), sampleRate: 48_000)
      }
    }
    return result
  }

  @Test func `what is written is played`() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    let pcm = (0..<480).map(Tone(hertz: 500).sample)
    sink.write(pcm.span)
    #expect(sink.fillFrames == 480)
    let result = played(sink, seconds: 1)
    #expect(result.count == 48_480 / 64 * 64)
    let expected = pcm + (0..<48_000).map(Tone(hertz: 500).sample)
    // After the fade in; the limiter lets this level through.
    let error = zip(result, expected).dropFirst(9600).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 0.0001)
  }

  /// Plays a period of 64 frames.
  private func playPeriod() { engine.runPeriod(mic: [Float](repeating: 0, count: 64)) }

  @Test func `what a callback did not find is left out when it comes`() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    for _ in 0..<3 { playPeriod() }
    #expect(sink.noticeUnderruns(isPlaying: true, sampleRate: 48_000) == 192)
    #expect(sink.noticeUnderruns(isPlaying: true, sampleRate: 48_000) == 0)
    #expect(sink.missedFrames == 192)
    let pcm = [Float](repeating: 0.1, count: 2400)
    sink.write(pcm.span)
    #expect(sink.fillFrames == 2400 - 192)
    #expect(sink.missedFrames == 0)
    sink.noticeUnderruns(isPlaying: true, sampleRate: 48_000)
    sink.write(pcm.span)
    #expect(sink.fillFrames == 4800 - 192)
  }

  @Test func `a long hole shifts the stream`() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    for _ in 0..<38 { playPeriod() }
    sink.noticeUnderruns(isPlaying: true, sampleRate: 48_000)
    #expect(sink.missedFrames == 0)
  }

  @Test func `a pause is no hole`() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    playPeriod()
    sink.noticeUnderruns(isPlaying: false, sampleRate: 48_000)
    sink.noticeUnderruns(isPlaying: true, sampleRate: 48_000)
    #expect(sink.missedFrames == 0)
  }

  @Test func `what does not fit is lost and not read`() {
    let sink = PlayoutSink(engine: engine, slot: slot)
    let pcm = [Float](repeating: 0.1, count: 2880)
    for _ in 0..<10 { sink.write(pcm.span) }
    #expect(sink.fillFrames == 16_384)
  }
}
