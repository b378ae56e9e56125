import Foundation
import Testing

@testable import Voice

/// What joins RNNoise: its bands, the sound it makes of them, and the whole of it against its twin in Python.
@Suite struct BandMaskTests {
  private let frames = BandMask.blockFrames

  private func tone(_ hertz: Double, amplitude: Double = 0.1, frames: Int) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / 48_000)) }
  }

  @Test func `the bands of two sounds are told apart`() {
    var spectrum = BandSpectrum()
    spectrum.take(tone(640, frames: 960), left: tone(4100, frames: 720))
    #expect(spectrum.coming.firstIndex(of: spectrum.coming.max() ?? 0) == 8)
    #expect(spectrum.left.firstIndex(of: spectrum.left.max() ?? 0) == 22)
    #expect(spectrum.coming[22] < 1e-4 * spectrum.coming[8])
    #expect(spectrum.left[8] < 1e-4 * spectrum.left[22])
  }

  /// What comes out, block after block, of sound with these masks.
  private func made(_ sound: [Float], masks: [Float]) -> [Float] {
    var spectrum = BandSpectrum()
    var made: [Float] = []
    let silence = [Float](repeating: 0, count: BandSpectrum.leftFrames)
    for start in stride(from: 0, through: sound.count - 2 * frames, by: frames) {
      spectrum.take(Array(sound[start..<start + 2 * frames]), left: silence)
      var block = [Float](repeating: 0, count: frames)
      var span = block.mutableSpan
      spectrum.make(&span, masks: masks)
      made += block
    }
    return made
  }

  @Test func `what no mask lowers comes out as it is`() {
    let sound = zip(tone(300, frames: 9600), tone(7000, frames: 9600)).map { $0 + $1 }
    let heard = made(sound, masks: [Float](repeating: 1, count: BandSpectrum.bandCount))
    let worst = (frames..<heard.count).map { abs(heard[$0] - sound[$0]) }.max() ?? 1
    #expect(worst < 1e-5)
  }

  @Test(arguments: [(200.0, 0.0), (2000, -20)])
  func `a mask lowers the bands that it shall`(hertz: Double, gain: Double) {
    let sound = tone(hertz, frames: 9600)
    let heard = made(sound, masks: BandSpectrum.hertz.map { $0 < 1000 ? 1 : 0.1 })
    let change = 10 * log10(power(heard[4800..<8640]) / power(sound[4800..<8640]))
    #expect(abs(change - gain) < 0.2)
  }

  /// A tone, the voice, comes and goes over one that stays, half of which RNNoise leaves; then there is a pause of a
  /// second, of which it leaves a hundredth, and the voice again.
  ///
  /// - Returns: of each block by how much it is changed, dB.
  private func treated() -> [Double] {
    var mask = BandMask()
    var late = [Float](repeating: 0, count: frames)
    return (0..<240).map { block in
      let isVoice = block / 10 % 3 != 2 && !(100..<200).contains(block)
      let now = (0..<frames).map { index in
        let time = Double(block * frames + index) / 48_000
        let voice = isVoice ? 0.1 * sin(2 * .pi * 440 * time) : 0
        return Float(voice + 0.03 * sin(2 * .pi * 3000 * time))
      }
      // It is a block late.
      var left = late.map { $0 * ((101...200).contains(block) ? 0.01 : 0.5) }
      defer { late = now }
      mask.hear(now.span)
      var span = left.mutableSpan
      mask.make(&span, voice: isVoice ? 0.9 : 0.1)
      return 10 * log10(power(left[...]) / power(late[...]))
    }
  }

  @Test func `it is what its twin in Python is`() {
    let changes = treated()
    for (block, wanted) in twin { #expect(abs(changes[block] - wanted) < 0.1, "block \(block)") }
  }

  /// By `Tests/Quality/correction/twin.py`.
  private let twin = [
    (9, -20.194), (29, -21.421), (35, -6.415), (55, -14.909), (99, -4.969), (118, -31.565),
    (150, -43.214), (201, -21.759), (202, -21.796), (205, -22.025),
  ]

  /// By its network alone it is 38 dB lower.
  @Test func `in a pause no more is left than RNNoise leaves, and the word behind it is whole`() {
    let changes = treated()
    let pause = changes[125...200].max() ?? 0
    #expect(pause < -41)
    // Its first 10 ms, in which RNNoise lags behind, are as loud as what follows.
    #expect(changes[201] > changes[205] - 0.5)
  }

  private func power(_ block: ArraySlice<Float>) -> Double {
    block.reduce(1e-20) { $0 + Double($1) * Double($1) }
  }

  @Test func `silence stays silence, and the loudest noise gets 6 dB louder at most`() {
    var mask = BandMask()
    var draw: UInt32 = 7
    for block in 0..<400 {
      let peak: Float = block % 200 < 100 ? 0 : 4
      let now = (0..<frames).map { index in
        draw = draw &* 1_664_525 &+ 1_013_904_223
        let frame = (Float(draw) / Float(UInt32.max) * 2 - 1) * peak
        return block == 150 && index == 7 ? Float.nan : frame
      }
      var left = now
      mask.hear(now.span)
      var span = left.mutableSpan
      mask.make(&span, voice: block % 3 == 0 ? .nan : 1)
      // Of the last block half a window yet sounds.
      let isSilent = left.allSatisfy { $0 == 0 }
      let loudest = left.map { abs($0) }.max() ?? 0
      #expect(isSilent || peak > 0 || block % 200 < 2)
      #expect(loudest.isFinite && loudest < 2.1, "block \(block)")
    }
  }
}
