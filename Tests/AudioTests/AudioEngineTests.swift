import Audio
import Testing

struct AudioEngineTests {
  /// No eventfd: the engine's wake-ups go nowhere.
  static let noDescriptor: Int32 = -1

  @Test
  func `what the mic hears comes out of the capture ring, and the mix beside it`() throws {
    let engine = try AudioEngine(wakeDescriptor: Self.noDescriptor)
    #expect(engine.periodTime() == nil)
    #expect(engine.captureChannels == 4)
    let mic = Signals.sine(hertz: 1000, frames: 480)
    let slot = PeerSlot.all[0]
    #expect(engine.attach(slot))
    #expect(engine.write(Signals.sine(hertz: 300, frames: 4800).span, to: slot) == 4800)
    var heard: [Float] = []
    for _ in 0..<10 { heard += engine.runPeriod(mic: mic).left }
    #expect(engine.captureAvailableFrames == 4800)

    var samples = [Float](repeating: .nan, count: 4 * 4800)
    var span = samples.mutableSpan
    #expect(engine.readCapture(into: &span) == 4800)
    #expect(engine.captureAvailableFrames == 0)
    #expect(engine.readCapture(into: &span) == 0)
    for frame in 0..<4800 {
      #expect(samples[4 * frame + AudioEngine.CaptureChannel.microphone] == mic[frame % 480])
      #expect(samples[4 * frame + AudioEngine.CaptureChannel.insert] == 0)
      #expect(samples[4 * frame + 2] == heard[frame])
    }

    let meter = engine.micMeter
    #expect(abs(meter.peakDBFS - -6) < 0.1)
    #expect(engine.periodTime()?.periodFrames == 480)
    #expect(engine.periodTime()?.sampleRate == 48_000)
    #expect(engine.counters.callbacks == 10)
    #expect(engine.counters.ringErrors == 0)
  }

  @Test
  func `a peer's frames come out of the mix with gain and pan, and an empty ring is counted`()
    throws
  {
    let engine = try AudioEngine(wakeDescriptor: Self.noDescriptor)
    let slot = PeerSlot.all[5]
    #expect(engine.isIdle(slot))
    engine.setPan(-1, for: slot)
    engine.setGain(0.5, for: slot)
    #expect(engine.attach(slot))
    #expect(!engine.attach(slot))
    engine.setPlaying(true, for: slot)
    let pcm = Signals.sine(hertz: 1000, frames: 4800, amplitude: 0.25)
    #expect(engine.write(pcm.span, to: slot) == 4800)
    #expect(engine.fillFrames(of: slot) == 4800)

    let silence = [Float](repeating: 0, count: 480)
    var last = ([Float](), [Float]())
    for _ in 0..<10 { last = engine.runPeriod(mic: silence) }
    #expect(engine.fillFrames(of: slot) == 0)
    #expect(engine.underrunFrames(of: slot) == 0)
    #expect(abs(Signals.rms(last.0[...]) - 0.125 * 0.5.squareRoot()) < 0.002)
    #expect(Signals.rms(last.1[...]) < 0.001)
    #expect(abs(engine.meter(of: slot).peak - 0.25) < 0.01)
    #expect(engine.mixMeter.peak > 0.1)

    engine.runPeriod(mic: silence)
    #expect(engine.underrunFrames(of: slot) == 480)
    engine.setPlaying(false, for: slot)
    engine.detach(slot)
    for _ in 0..<10 { engine.runPeriod(mic: silence) }
    #expect(engine.isIdle(slot))
    #expect(engine.attach(slot))
  }

  @Test
  func `a recording bus has the mix, without the sidetone, until it is closed`() throws {
    let engine = try AudioEngine(wakeDescriptor: Self.noDescriptor)
    let slot = PeerSlot.all[3]
    engine.setPan(-1, for: slot)
    engine.setGain(0.5, for: slot, on: .recording)
    engine.setSidetone(1)
    #expect(engine.attach(slot))
    #expect(engine.openStereo(.recording))
    #expect(!engine.openStereo(.recording))
    let mic = Signals.sine(hertz: 300, frames: 480)
    let pcm = Signals.sine(hertz: 1000, frames: 4800, amplitude: 0.25)
    #expect(engine.write(pcm.span, to: slot) == 4800)
    var heard: [Float] = []
    for _ in 0..<10 { heard += engine.runPeriod(mic: mic).left }
    #expect(engine.availableFrames(of: .recording) == 4800)
    var samples = [Float](repeating: .nan, count: 2 * 4800)
    var room = samples.mutableSpan
    #expect(engine.readStereo(.recording, into: &room) == 4800)
    for frame in 480..<4800 {
      #expect(abs(samples[2 * frame] - 0.5 * pcm[frame]) < 1e-6)
      #expect(abs(samples[2 * frame + 1]) < 1e-6)
      #expect(
        abs(heard[frame] - pcm[frame] - mic[frame % 480] * Float(0.5).squareRoot()) < 1e-5)
    }
    #expect(engine.lostFrames(of: .recording) == 0)
    engine.close(.recording)
    #expect(!engine.openStereo(.recording))
    engine.runPeriod(mic: mic)
    #expect(engine.availableFrames(of: .recording) == 0)
    #expect(engine.openStereo(.recording))
  }

  @Test
  func `empty spans are nothing to do`() throws {
    let engine = try AudioEngine(wakeDescriptor: Self.noDescriptor)
    var nothing: [Float] = []
    var span = nothing.mutableSpan
    #expect(engine.readCapture(into: &span) == 0)
    #expect(engine.write([Float]().span, to: PeerSlot.all[0]) == 0)
  }

  @Test(arguments: [-1, 64, Int.max, .min])
  func `a slot exists only within the mix`(index: Int) {
    #expect(PeerSlot(index) == nil)
    #expect(PeerSlot.all.count == 64)
    #expect(PeerSlot.all.map(\.index) == Array(0..<64))
  }

  @Test(arguments: [(Float(1), Float(0)), (0.5, -6.0206), (2, 6.0206), (0, -127), (1e-9, -127)])
  func `levels are told in dBFS, down to a floor`(level: Float, expected: Float) {
    let reading = MeterReading(peak: level, rms: level)
    #expect(abs(reading.peakDBFS - expected) < 0.001)
    #expect(abs(reading.rmsDBFS - expected) < 0.001)
  }

  @Test(arguments: [
    (7999, false), (8000, true), (192_000, true), (192_001, false),
  ])
  func `a period of a rate that nothing can be converted from is no period`(
    sampleRate: Int, isTold: Bool
  ) throws {
    let engine = try AudioEngine(wakeDescriptor: -1)
    engine.runPeriod(mic: [0, 0], sampleRate: sampleRate)
    #expect((engine.periodTime() != nil) == isTold)
  }
}

extension AudioEngine {
  /// One period of the mic's length.
  @discardableResult
  func runPeriod(mic: [Float], sampleRate: Int = 48_000) -> (left: [Float], right: [Float]) {
    var left = [Float](repeating: .nan, count: mic.count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    let time = PeriodTime(
      count: 0, startNanoseconds: 1, nextNanoseconds: 2, callbackNanoseconds: 1, frameTime: 0,
      periodFrames: mic.count, sampleRate: sampleRate)
    process(mic: mic.span, mixLeft: &leftSpan, mixRight: &rightSpan, time: time)
    return (left, right)
  }
}
