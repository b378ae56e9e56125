import Audio
import Testing

struct ResamplerTests {
  static let rates: [(Double, Double)] = [
    (44_100, 48_000), (48_000, 44_100), (48_000, 96_000), (96_000, 48_000), (44_100, 96_000),
    (96_000, 44_100), (48_000, 48_000),
  ]

  @Test(arguments: rates, [440.0, 1000, 5000])
  func `a tone keeps its pitch and more than 90 dB to the noise between all usual rates`(
    rates: (Double, Double), hertz: Double
  ) throws {
    let resampler = try Resampler(ratio: rates.1 / rates.0)
    let input = Signals.sine(hertz: hertz, frames: 48_000, sampleRate: rates.0)
    let output = resampler.all(input, chunkFrames: 512)
    let steady = output[2000..<output.count - 2000]
    #expect(Signals.signalToNoise(steady, hertz: hertz, sampleRate: rates.1) > 90)
    #expect(abs(Signals.rms(steady) / (0.5 * 0.5.squareRoot()) - 1) < 0.001)
  }

  @Test(arguments: rates)
  func `output frame n is the input at n / ratio`(rates: (Double, Double)) throws {
    let resampler = try Resampler(ratio: rates.1 / rates.0)
    let output = resampler.all(
      Signals.sine(hertz: 500, frames: 20_000, sampleRate: rates.0), chunkFrames: 64)
    let expected = Signals.sine(hertz: 500, frames: output.count, sampleRate: rates.1)
    let worst = (2000..<output.count).map { abs(output[$0] - expected[$0]) }.max() ?? 1
    #expect(worst < 0.001)
  }

  @Test(arguments: rates)
  func `what is held back is the latency the resampler tells`(rates: (Double, Double)) throws {
    let ratio = rates.1 / rates.0
    let resampler = try Resampler(ratio: ratio)
    var (consumed, produced) = (0, 0)
    for _ in 0..<200 {
      let step = resampler.step(Signals.noise(frames: 64, seed: 1), capacityFrames: 256)
      consumed += step.consumed
      produced += step.pcm.count
      let held = Double(consumed) - Double(produced) / ratio
      // The frame at the edge may go either way, and so may one output frame.
      let slack = 1 + 1 / ratio
      #expect(abs(held - Double(resampler.latencyFrames)) <= slack)
    }
    #expect(consumed == 200 * 64)
  }

  @Test(arguments: rates, [1, 7, 64, 120, 1000])
  func `the stream is the same in whatever chunks it comes`(
    rates: (Double, Double), chunkFrames: Int
  ) throws {
    let input = Signals.noise(frames: 6000, seed: 11)
    let ratio = rates.1 / rates.0
    let whole = try Resampler(ratio: ratio).all(input, chunkFrames: input.count)
    let parts = try Resampler(ratio: ratio).all(input, chunkFrames: chunkFrames)
    #expect(abs(whole.count - parts.count) <= 1)
    let worst = zip(whole, parts).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-5)
  }

  @Test
  func `a short output span loses nothing: the rest comes with the next calls`() throws {
    let input = Signals.noise(frames: 4800, seed: 12)
    let whole = try Resampler(ratio: 2).all(input, chunkFrames: 4800)
    let resampler = try Resampler(ratio: 2)
    var rest = input[...]
    var output: [Float] = []
    while true {
      let step = resampler.step(Array(rest.prefix(100)), capacityFrames: 33)
      rest = rest.dropFirst(step.consumed)
      output += step.pcm
      if step.pcm.isEmpty && rest.isEmpty { break }
    }
    #expect(output.count == whole.count)
    #expect((zip(whole, output).map { abs($0 - $1) }.max() ?? 1) < 1e-5)
  }

  @Test
  func `empty spans are nothing to do`() throws {
    let resampler = try Resampler(ratio: 1)
    let neither = resampler.step([], capacityFrames: 0)
    #expect(neither.consumed == 0 && neither.pcm.isEmpty)
    let noInput = resampler.step([], capacityFrames: 64)
    #expect(noInput.consumed == 0 && noInput.pcm.isEmpty)
  }

  @Test
  func `a drift correction is no step: the tone stays clean through ±100 ppm steps`() throws {
    let resampler = try Resampler(ratio: 1)
    let input = Signals.sine(hertz: 1000, frames: 48_000)
    var output: [Float] = []
    for (index, start) in stride(from: 0, to: input.count, by: 480).enumerated() {
      #expect(resampler.setRatio(index.isMultiple(of: 2) ? 1.0001 : 0.9999))
      output += resampler.step(Array(input[start..<start + 480]), capacityFrames: 600).pcm
    }
    let steepest = 0.5 * 2 * Float.pi * 1000 / 48_000
    let steps: [Float] = (1000..<output.count - 1).map { abs(output[$0 + 1] - output[$0]) }
    let worst = steps.max() ?? 1
    #expect(worst < 1.01 * steepest)
    #expect(Signals.signalToNoise(output[1000..<5800], hertz: 1000, sampleRate: 48_000) > 50)
  }

  @Test
  func `a ratio that changes gives that many more or fewer frames`() throws {
    let resampler = try Resampler(ratio: 1)
    _ = resampler.step(Signals.noise(frames: 1000, seed: 4), capacityFrames: 2000)
    #expect(resampler.setRatio(1.01))
    #expect(resampler.ratio == 1.01)
    #expect(resampler.step(Signals.noise(frames: 100, seed: 4), capacityFrames: 80).pcm.count == 80)
    let frames = (0..<10).reduce(0) { sum, _ in
      sum + resampler.step(Signals.noise(frames: 1000, seed: 4), capacityFrames: 2000).pcm.count
    }
    #expect(abs(frames - 10_120) <= 2)
  }

  @Test(arguments: [0, -1, 1e-3, 257, .infinity, .nan])
  func `a ratio out of range is refused`(ratio: Double) throws {
    #expect(throws: AudioError.self) { try Resampler(ratio: ratio) }
    let resampler = try Resampler(ratio: 0.5)
    #expect(!resampler.setRatio(ratio))
    #expect(resampler.ratio == 0.5)
  }

  @Test
  func `after a reset the stream starts anew`() throws {
    let resampler = try Resampler(ratio: 48_000.0 / 44_100)
    let input = Signals.noise(frames: 4000, seed: 5)
    let first = resampler.all(input, chunkFrames: 300)
    resampler.reset()
    #expect(resampler.all(input, chunkFrames: 300) == first)
  }
}

extension Resampler {
  func step(_ input: [Float], capacityFrames: Int) -> (consumed: Int, pcm: [Float]) {
    var output = [Float](repeating: .nan, count: capacityFrames)
    var span = output.mutableSpan
    let (consumed, produced) = process(input.span, into: &span)
    return (consumed, Array(output.prefix(produced)))
  }

  /// The whole stream, with room enough in each step.
  func all(_ input: [Float], chunkFrames: Int) -> [Float] {
    stride(from: 0, to: input.count, by: chunkFrames).flatMap { start in
      step(
        Array(input[start..<min(start + chunkFrames, input.count)]),
        capacityFrames: Int(Double(chunkFrames) * ratio) + 64
      ).pcm
    }
  }
}
