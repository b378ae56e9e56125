import TestKit
import Testing

@testable import Media

@Suite struct SplicerTests {
  /// Feeds a signal in blocks, asks for a change once enough is there, and returns what comes out.
  private static func run(
    signal: [Float], block: Int, wanted: Int, urgency: Float = 1
  ) -> (output: [Float], change: Int) {
    var splicer = Splicer(freshFrames: 5760)
    var output: [Float] = []
    var pcm = [Float](repeating: 0, count: 5760 + Splicer.surplusFrames)
    var change = 0
    for start in stride(from: 0, to: signal.count - block + 1, by: block) {
      _ = splicer.append(block) { span in
        for index in 0..<block { span[index] = signal[start + index] }
        return block
      }
      if start >= 1200, abs(change) < abs(wanted) {
        change += splicer.splice(wantedFrames: wanted - change, urgency: urgency)
      }
      var span = pcm.mutableSpan
      let count = splicer.emit(into: &span)
      #expect(count > 0)
      output += pcm[..<count]
    }
    return (output, change)
  }

  private static func greatestStep(_ signal: [Float]) -> Float {
    zip(signal, signal.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  /// A lag that is no period of it would be heard, so it is led there a little slower or faster.
  @Test(arguments: [120, 240, 480, 960, 2880], [-300, -64, -30, -12, 12, 30, 64, 300])
  func `a tone stays continuous and changes its length`(block: Int, wanted: Int) {
    let signal = (0..<Int64(block * (124_000 / block + 2))).map { 0.5 * ToneCodec.tone(at: $0) }
    let (output, change) = Self.run(signal: signal, block: block, wanted: wanted)
    #expect(abs(change - wanted) <= 30)
    #expect(change * wanted > 0)
    #expect(wanted > 0 || change >= wanted)
    let fed = signal.count / block * block
    #expect(output.count == fed + change)
    let step = ToneCodec.greatestStep(amplitude: 0.5)
    #expect(Self.greatestStep(output) < 1.25 * step)
    // A quarter of a period later it is where it should be.
    let quarter = ToneCodec.toneFrames / 4
    let away = (1000..<output.count - quarter).map { index in
      let (now, later) = (output[index] / 0.5, output[index + quarter] / 0.5)
      return abs(now * now + later * later - 1)
    }
    #expect(away.max() ?? 1 < 0.2)
  }

  @Test func `a period of the pitch is preferred`() {
    // 187.5 Hz with strong overtones: only whole periods match.
    let signal = (0..<Int64(9600)).map { index -> Float in
      let tones = [(1, 0.3), (2, 0.2), (5, 0.2), (11, 0.1)].map { harmonic, gain in
        Float(gain) * ToneCodec.tone(at: index * Int64(harmonic))
      }
      return tones.reduce(0, +)
    }
    let (output, change) = Self.run(signal: signal, block: 960, wanted: -300, urgency: 0)
    #expect(change == -256)
    #expect(Self.greatestStep(output) < 1.02 * Self.greatestStep(signal))
  }

  @Test func `noise is only spliced when it is urgent`() {
    var random = SplitMix64(seed: 3)
    let noise = (0..<9600).map { _ in Float(random.unit() - 0.5) }
    #expect(Self.run(signal: noise, block: 120, wanted: -64, urgency: 0).change == 0)
    #expect(Self.run(signal: noise, block: 120, wanted: -64, urgency: 1).change != 0)
  }

  @Test func `a quiet signal is spliced at once`() {
    var random = SplitMix64(seed: 3)
    let noise = (0..<9600).map { _ in Float(random.unit() - 0.5) * 0.005 }
    #expect(Self.run(signal: noise, block: 120, wanted: -64, urgency: 0).change == -64)
    #expect(Self.run(signal: noise, block: 120, wanted: 64, urgency: 0).change == 64)
  }

  @Test func `the cross fade keeps the power of noise`() {
    var random = SplitMix64(seed: 9)
    let noise = (0..<48_000).map { _ in Float(random.unit() - 0.5) }
    var splicer = Splicer(freshFrames: 5760)
    var pcm = [Float](repeating: 0, count: 5760 + Splicer.surplusFrames)
    var faded: [Float] = []
    for start in stride(from: 0, to: 48_000, by: 480) {
      _ = splicer.append(480) { span in
        for index in 0..<480 { span[index] = noise[start + index] }
        return 480
      }
      let isSplicing = start > 960 && splicer.splice(wantedFrames: -60, urgency: 1) != 0
      var span = pcm.mutableSpan
      _ = splicer.emit(into: &span)
      if isSplicing { faded += pcm[36..<108] }
    }
    let power = faded.reduce(0) { $0 + $1 * $1 } / Float(faded.count)
    #expect(abs(power * 12 - 1) < 0.1)
  }
}
