import Audio
import Testing
import Voice

@testable import Intercom

/// What the microphone heard, cut into codec frames at 48 kHz.
@Suite struct CaptureSourceTests {
  let engine: AudioEngine
  let microphone: Microphone

  init() throws {
    engine = try AudioEngine(wakeDescriptor: -1)
    microphone = Microphone(engine: engine, sidetoneDecibels: nil)
  }

  private func closedSource(framesPerPacket: Int) -> CaptureSource {
    CaptureSource(
      engine: engine, microphone: microphone,
      voice: VoiceDesk(VoiceSettings(), framesPerPacket: framesPerPacket), taps: Taps(engine),
      framesPerPacket: framesPerPacket)
  }

  /// One whose gate is open, and has faded in.
  private func source(framesPerPacket: Int) -> CaptureSource {
    let source = closedSource(framesPerPacket: framesPerPacket)
    engine.runPeriod(mic: [Float](repeating: 0, count: 4096))
    while source.fillFrame() {}
    source.discardAll()
    return source
  }

  /// Captures a signal period by period and takes what codec frames it makes.
  private func frames(
    of source: CaptureSource, _ signal: [Float], sampleRate: Int, periodFrames: Int
  ) -> [Float] {
    var result: [Float] = []
    for start in stride(from: 0, to: signal.count, by: periodFrames) {
      let period = Array(signal[start..<min(start + periodFrames, signal.count)])
      engine.runPeriod(mic: period, sampleRate: sampleRate)
      while source.fillFrame() { result += source.frame }
    }
    return result
  }

  private func tone(sampleRate: Int, frames: Int) -> [Float] {
    (0..<frames).map(Tone(hertz: 500, sampleRate: sampleRate).sample)
  }

  @Test(arguments: [120, 480, 2880], [64, 128, 1000])
  func `at 48 k hz every frame is what was captured`(framesPerPacket: Int, periodFrames: Int) {
    let source = self.source(framesPerPacket: framesPerPacket)
    let signal = tone(sampleRate: 48_000, frames: 48_000)
    let result = frames(of: source, signal, sampleRate: 48_000, periodFrames: periodFrames)
    #expect(result.count == 48_000 / framesPerPacket * framesPerPacket)
    #expect(result == Array(signal.prefix(result.count)))
    #expect(engine.captureAvailableFrames == 48_000 - result.count)
  }

  @Test(arguments: [48_000, 44_100])
  func `between frames of another length nothing is lost`(sampleRate: Int) throws {
    let source = self.source(framesPerPacket: 480)
    try source.setRate(sampleRate)
    let signal = tone(sampleRate: sampleRate, frames: sampleRate)
    var result: [Float] = []
    for (index, frames) in [480, 2880, 120, 960].enumerated() {
      source.framesPerPacket = frames
      let quarter = signal[(index * sampleRate / 4)..<((index + 1) * sampleRate / 4)]
      result += self.frames(of: source, Array(quarter), sampleRate: sampleRate, periodFrames: 525)
    }
    let expected = tone(sampleRate: 48_000, frames: result.count)
    let error = zip(result, expected).dropFirst(200).map { abs($0 - $1) }.max()
    #expect(result.count > 46_000)
    #expect(try #require(error) < 0.002)
  }

  @Test func `too little makes no frame and is kept`() {
    let source = self.source(framesPerPacket: 480)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 479))
    #expect(!source.fillFrame())
    #expect(engine.captureAvailableFrames == 479)
    engine.runPeriod(mic: [0.25])
    #expect(source.fillFrame())
    #expect(source.frame.last == 0.25)
  }

  @Test(arguments: [44_100, 96_000, 8000, 192_000], [480, 2880])
  func `at other rates nothing is lost or added`(sampleRate: Int, framesPerPacket: Int) throws {
    let source = self.source(framesPerPacket: framesPerPacket)
    try source.setRate(sampleRate)
    let signal = tone(sampleRate: sampleRate, frames: 2 * sampleRate)
    let result = frames(of: source, signal, sampleRate: sampleRate, periodFrames: 256)
    // Two seconds less what the converter holds back and what does not fill a frame.
    let heldBack = 20 * 48_000 / min(sampleRate, 48_000) + framesPerPacket
    #expect((96_000 - heldBack - 256...96_000).contains(result.count))
    #expect(result.count.isMultiple(of: framesPerPacket))
    // The same tone, unbroken: no sample off by more than the converter's noise and its pass band's edge.
    let expected = tone(sampleRate: 48_000, frames: result.count)
    let error = zip(result, expected).dropFirst(200).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 0.002)
  }

  @Test func `the wake up waits for one codec frame`() {
    let source = self.source(framesPerPacket: 480)
    #expect(source.neededFrames(sampleRate: 48_000) == 480)
    #expect(source.neededFrames(sampleRate: 44_100) == 441)
    #expect(source.neededFrames(sampleRate: 11_025) == 111)
  }

  @Test(arguments: [48_000, 44_100])
  func `what is discarded is never sent`(sampleRate: Int) throws {
    let source = self.source(framesPerPacket: 480)
    try source.setRate(sampleRate)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 5000), sampleRate: sampleRate)
    #expect(source.fillFrame())
    source.discardAll()
    #expect(engine.captureAvailableFrames == 0)
    #expect(!source.fillFrame())
    engine.runPeriod(mic: [Float](repeating: 0, count: 2000), sampleRate: sampleRate)
    #expect(source.fillFrame())
    #expect(source.frame.allSatisfy { $0 == 0 })
  }

  @Test func `a change of rate starts anew`() throws {
    let source = self.source(framesPerPacket: 480)
    try source.setRate(44_100)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 600), sampleRate: 44_100)
    #expect(source.fillFrame())
    try source.setRate(48_000)
    source.discardAll()
    engine.runPeriod(mic: [Float](repeating: 0.25, count: 480))
    #expect(source.fillFrame())
    #expect(source.frame == [Float](repeating: 0.25, count: 480))
  }

  @Test func `a rate that cannot be converted is refused`() {
    let source = self.source(framesPerPacket: 480)
    #expect(throws: AudioError.self) { try source.setRate(100) }
  }

  @Test func `a closed gate leaves silence`() {
    microphone.setTalk(false)
    let source = closedSource(framesPerPacket: 480)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 960))
    while source.fillFrame() { #expect(source.frame.allSatisfy { $0 == 0 }) }
  }

  @Test(arguments: [120, 480, 2880], [64, 1000])
  func `the gate opens and closes in 5 ms without a step`(framesPerPacket: Int, periodFrames: Int) {
    let source = closedSource(framesPerPacket: framesPerPacket)
    let level = [Float](repeating: 0.5, count: 2 * 2880)
    func passed() -> [Float] {
      frames(of: source, level, sampleRate: 48_000, periodFrames: periodFrames)
    }
    let opening = passed()
    microphone.setTalk(false)
    let closing = passed()
    // The steepest part of p²(3 − 2p) over 240 frames, with room for rounding.
    let bound: Float = 0.5 * 1.5 / 240 * 1.01
    let all = [0] + opening + closing
    #expect(zip(all, all.dropFirst()).allSatisfy { abs($0 - $1) <= bound })
    #expect(opening.firstIndex(of: 0.5).map { abs($0 - 240) <= 1 } == true)
    #expect(closing.firstIndex(of: 0).map { abs($0 - 240) <= 1 } == true)
    #expect(closing.last == 0)
  }

  /// 5 ms, or what a codec frame has that is not complete before the press.
  @Test(
    arguments: [
      (120, 64, 112), (240, 64, 192), (480, 128, 240), (480, 256, 240), (960, 1000, 240),
    ], [48_000, 44_100])
  func `at a press the gate has faded in by the end of what was captured`(
    format: (frames: Int, period: Int, fade: Int), sampleRate: Int
  ) throws {
    for periods in 20..<40 {
      microphone.setTalk(false)
      let source = closedSource(framesPerPacket: format.frames)
      try source.setRate(sampleRate)
      let period = [Float](repeating: 0.5, count: format.period)
      var result: [Float] = []
      for _ in 0..<periods {
        engine.runPeriod(mic: period, sampleRate: sampleRate)
        while source.fillFrame() { result += source.frame }
      }
      microphone.setTalk(true)
      let turned = source.open(quietFrames: 48_000)
      #expect(result.allSatisfy { $0 == 0 } && turned < format.frames)
      let captured = periods * format.period * 48_000 / sampleRate
      result.removeLast(min(turned, result.count))
      #expect(!source.fillFrame(), "nothing that is sent was complete before the press")
      for _ in 0..<20 {
        engine.runPeriod(mic: period, sampleRate: sampleRate)
        while source.fillFrame() { result += source.frame }
      }
      let bound: Float = 0.5 * 1.5 / Float(min(format.fade, 240)) * 1.1
      let steps = zip(result, result.dropFirst()).map { abs($0 - $1) }
      if sampleRate == 48_000 {
        #expect(steps.max() ?? 1 <= bound, "no step")
        #expect(result[captured...].allSatisfy { $0 == 0.5 }, "in full from the press on")
      } else {
        // The resampler's own delay, and its ripple.
        #expect(result[(captured + 64)...].allSatisfy { abs($0 - 0.5) < 0.02 })
      }
      source.discardAll()
    }
  }

  @Test func `a second press within a codec frame keeps what the first looked back on`() {
    microphone.setTalk(false)
    let source = closedSource(framesPerPacket: 960)
    let signal = (0..<4800).map { 0.25 + Float($0) / 16384 }
    var result: [Float] = []
    func capture(_ frames: Range<Int>) {
      for start in stride(from: frames.lowerBound, to: frames.upperBound, by: 64) {
        engine.runPeriod(mic: Array(signal[start..<start + 64]))
        while source.fillFrame() { result += source.frame }
      }
    }
    capture(0..<1024)
    microphone.setTalk(true)
    let turned = source.open(quietFrames: 48_000)
    #expect(turned == 192, "all but what waits of 5 ms")
    // What it looked back on is to come still, and is not looked back on twice.
    for _ in 0..<2 {
      microphone.setTalk(false)
      source.close()
      microphone.setTalk(true)
      #expect(source.open(quietFrames: nil) == 0)
    }
    result.removeLast(turned)
    capture(1024..<4800)
    #expect(Array(result[1024...]) == Array(signal[1024..<result.count]), "each in its place")
    #expect(result[..<768].allSatisfy { $0 == 0 })
    #expect((768..<1024).allSatisfy { result[$0] > 0 && result[$0] <= signal[$0] })
  }

  @Test func `what was sent does not come again, and then the gate opens in 1 ms`() throws {
    microphone.setTalk(false)
    let source = closedSource(framesPerPacket: 480)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 480))
    #expect(source.fillFrame())
    microphone.setTalk(true)
    #expect(source.open(quietFrames: 0) == 0)
    engine.runPeriod(mic: [Float](repeating: 0.5, count: 480))
    #expect(source.fillFrame())
    #expect(source.frame[0] < 0.01 && source.frame[47...].allSatisfy { $0 == 0.5 })
  }

  @Test func `what is sent in the microphone's place passes a closed gate`() {
    let source = closedSource(framesPerPacket: 480)
    microphone.setReplaced(true)
    let slot = PeerSlot.all[0]
    #expect(engine.attach(slot))
    engine.captureSound(of: slot)
    let sound = [Float](repeating: 0.25, count: 9600)
    #expect(engine.write(sound.span, to: slot) == 9600)
    var last: [Float] = []
    for _ in 0..<20 {
      engine.runPeriod(mic: [Float](repeating: 0.5, count: 480))
      while source.fillFrame() { last = source.frame }
    }
    #expect(last == [Float](repeating: 0.25, count: 480))
  }
}
