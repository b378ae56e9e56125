import Foundation
import Testing

@testable import Voice

/// The transform of real signals against its definition.
@Suite struct RealTransformTests {
  @Test(arguments: [16, 32, 256, 512, 1024, 2048])
  func `the spectrum is as defined, and the inverse the signal again`(count: Int) {
    let transform = RealTransform(count: count)
    let (signal, back) = (FloatRoom(count: count), FloatRoom(count: count))
    let room = SpectrumRoom(bins: transform.binCount, count: 2)
    for (index, sample) in Sounds.noise(-10, seconds: 0.05).prefix(count).enumerated() {
      signal[index] = sample
    }
    // Of two spectra in one room the second.
    transform.forward(signal, into: room, at: 1)
    let before = (0..<transform.binCount).allSatisfy { room.real[$0] == 0 }
    #expect(before)
    for bin in 0...count / 2 {
      let sums = (0..<count).reduce((0.0, 0.0)) { sum, index in
        let angle = -2 * Double.pi * Double(bin * index % count) / Double(count)
        let sample = Double(signal[index])
        return (sum.0 + sample * cos(angle), sum.1 + sample * sin(angle))
      }
      #expect(abs(Double(room.real[transform.binCount + bin]) - sums.0) < 1e-3, "bin \(bin)")
      #expect(abs(Double(room.imaginary[transform.binCount + bin]) - sums.1) < 1e-3, "bin \(bin)")
    }
    transform.inverse(room, at: 1, into: back)
    let error = (0..<count).map { abs(signal[$0] - back[$0]) }.max() ?? 1
    #expect(error < 1e-5)
  }
}
