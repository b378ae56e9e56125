import TestKit
import Testing

@testable import Media

/// The resampler's place in the stream: bypassed, engaged in the midst of sound, flushed.
@Suite struct RateConverterTests {
  private static func tone(_ range: Range<Int>) -> [Float] {
    range.map { 0.5 * ToneCodec.tone(at: Int64($0)) }
  }

  private static func convert(
    _ sound: [Float], by converter: inout RateConverter, ratio: Double
  ) -> [Float] {
    var pcm = sound + [Float](repeating: .nan, count: 4 * sound.count + 64)
    var span = pcm.mutableSpan
    let frames = converter.convert(&span, frames: sound.count, ratio: ratio)
    return Array(pcm[..<frames])
  }

  @Test func `bypassed it changes nothing`() {
    var converter = RateConverter(LinearResampler())
    converter.start(isEngaged: false)
    let sound = Self.tone(0..<480)
    #expect(Self.convert(sound, by: &converter, ratio: 1.001) == sound)
    #expect(converter.heldNanoseconds == 0)
  }

  @Test(arguments: [120, 240, 2880])
  func `engaged in the midst it goes on where it was`(frames: Int) {
    var converter = RateConverter(LinearResampler())
    converter.start(isEngaged: false)
    var heard = Self.convert(Self.tone(0..<480), by: &converter, ratio: 1)
    converter.engage(after: Array(heard.suffix(240)).span)
    for start in stride(from: 480, to: 480 + 10 * frames, by: frames) {
      heard += Self.convert(Self.tone(start..<start + frames), by: &converter, ratio: 1.0005)
    }
    let steps = zip(heard.dropFirst(), heard).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 1.01 * ToneCodec.greatestStep(amplitude: 0.5))
    // What was played before is not played again: the tone goes on at once.
    let next = Self.tone(480..<500)
    #expect(zip(heard[480..<500], next).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(abs(converter.heldFrames - 20) < 2)
  }

  /// A ramp tells of each frame that comes out where in what went in it was.
  @Test(arguments: [44_100.0 / 48_000, 1, 2, 1.0005])
  func `what is held is what has not come out`(ratio: Double) {
    var converter = RateConverter(LinearResampler())
    converter.start(isEngaged: true)
    for block in 1...60 {
      let ramp = (120 * (block - 1)..<120 * block).map { Float($0) / 8192 }
      let heard = Self.convert(ramp, by: &converter, ratio: ratio)
      guard let last = heard.last else { continue }
      let next = 8192 * Double(last) + 1 / ratio
      #expect(abs(converter.heldFrames - (Double(120 * block) - next)) < 0.01)
    }
  }
}
