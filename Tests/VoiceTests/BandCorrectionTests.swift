import Foundation
import Testing

@testable import Voice

/// What corrects RNNoise: its bands, its filters, and the whole of it against its twin in Python.
@Suite struct BandCorrectionTests {
  private func tone(_ hertz: Double, amplitude: Double = 0.1, frames: Int) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / 48_000)) }
  }

  @Test func `the bands of two sounds are told apart`() {
    var bands = BandEnergies(windowFrames: 720, count: 1024)
    bands.take(tone(600, frames: 720), tone(4000, frames: 720))
    #expect(bands.first.firstIndex(of: bands.first.max() ?? 0) == 3)
    #expect(bands.second.firstIndex(of: bands.second.max() ?? 0) == 13)
    #expect(bands.first[13] < 1e-4 * bands.first[3])
    #expect(bands.second[3] < 1e-4 * bands.second[13])
  }

  @Test func `a filter of the same gain everywhere is that gain`() {
    var filter = [Float](repeating: 1, count: 64)
    BandFilterShape(taps: 64).make(&filter, decibels: [Float](repeating: -6, count: 22))
    #expect(abs(filter[0] - 0.5012) < 1e-3)
    let rest = filter.dropFirst().map { abs($0) }.max() ?? 0
    #expect(rest < 1e-3)
  }

  @Test func `a filter lowers the bands that it shall and begins at once`() {
    var filter = [Float](repeating: 0, count: 64)
    let gains = BandEnergies.hertz.map { $0 >= 4000 ? Float(-10) : 0 }
    BandFilterShape(taps: 64).make(&filter, decibels: gains)
    func gain(_ hertz: Double) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (tap, weight) in filter.enumerated() {
        real += Double(weight) * cos(2 * .pi * hertz * Double(tap) / 48_000)
        imaginary += Double(weight) * sin(2 * .pi * hertz * Double(tap) / 48_000)
      }
      return 10 * log10(real * real + imaginary * imaginary)
    }
    #expect(abs(gain(1000)) < 1 && abs(gain(10_000) + 10) < 1)
    #expect(filter[0] == filter.max())
  }

  /// A tone that comes and goes over one that stays, half of which a suppressor left; dB by which it is corrected.
  @Test func `it is what its twin in Python is`() {
    var correction = BandCorrection()
    let frames = 480
    var late = [Float](repeating: 0, count: frames)
    var changes: [Int: Double] = [:]
    for block in 0..<100 {
      let isVoice = block / 10 % 3 != 2
      let now = (0..<frames).map { index in
        let time = Double(block * frames + index) / 48_000
        let voice = isVoice ? 0.1 * sin(2 * .pi * 440 * time) : 0
        return Float(voice + 0.03 * sin(2 * .pi * 3000 * time))
      }
      var left = late.map { $0 / 2 }
      let before = power(left)
      correction.hear(now.span)
      var span = left.mutableSpan
      correction.correct(&span, voice: isVoice ? 0.9 : 0.1)
      changes[block] = 10 * log10(power(left) / before)
      late = now
    }
    for (block, wanted) in twin {
      #expect(abs((changes[block] ?? .nan) - wanted) < 0.1, "block \(block)")
    }
  }

  private let twin = [(9, 0.064), (29, -1.073), (35, 0.338), (55, -0.934), (99, 0.561)]

  private func power(_ block: [Float]) -> Double {
    block.reduce(1e-20) { $0 + Double($1) * Double($1) }
  }

  @Test func `silence stays silence, and the loudest noise gets 3 dB louder at most`() {
    var correction = BandCorrection()
    var draw: UInt32 = 7
    for block in 0..<400 {
      let peak: Float = block % 200 < 100 ? 0 : 4
      let now = (0..<480).map { _ in
        draw = draw &* 1_664_525 &+ 1_013_904_223
        return (Float(draw) / Float(UInt32.max) * 2 - 1) * peak
      }
      var left = now
      correction.hear(now.span)
      var span = left.mutableSpan
      correction.correct(&span, voice: block % 3 == 0 ? .nan : 1)
      // Of the last block 64 frames yet sound.
      let isSilent = left.allSatisfy { $0 == 0 }
      let isSound = left.allSatisfy { $0.isFinite }
      #expect(isSilent || peak > 0 || block % 200 < 2)
      #expect(isSound)
      #expect(power(left) <= 2.1 * power(now) + 100)
    }
  }
}
