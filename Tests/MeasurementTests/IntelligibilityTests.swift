import Measurement
import TestKit
import Testing

/// STOI, against pystoi 0.4.1 on the very same frames.
@Suite struct IntelligibilityTests {
  /// What became of the speech on its way.
  enum Harm: CaseIterable, Sendable {
    case noise, strongNoise, clipping, delay, holes

    func done(to speech: [Float], sampleRate: Int) -> [Float] {
      var random = SplitMix64(seed: 7)
      switch self {
      case .noise: return speech.map { $0 + Float(random.unit() - 0.5) * 0.1 }
      case .strongNoise: return speech.map { $0 + Float(random.unit() - 0.5) }
      case .clipping: return speech.map { max(-0.02, min(0.02, $0)) }
      case .delay:
        let late = sampleRate / 40
        return [Float](repeating: 0, count: late) + speech.dropLast(late)
      case .holes:
        let packet = sampleRate / 50
        return speech.indices.map { $0 / packet % 3 == 0 ? 0 : speech[$0] }
      }
    }
  }

  /// What `pystoi.stoi(said, heard, sampleRate)` gives.
  private static let reference: [(harm: Harm, sampleRate: Int, value: Double)] = [
    (.noise, 10000, 0.73662),
    (.strongNoise, 10000, 0.35351),
    (.clipping, 10000, 0.65652),
    (.delay, 10000, 0.54303),
    (.holes, 10000, 0.74558),
    (.noise, 16000, 0.72475),
    (.strongNoise, 16000, 0.35252),
    (.clipping, 16000, 0.61352),
    (.delay, 16000, 0.56453),
    (.holes, 16000, 0.72089),
    (.noise, 48000, 0.75734),
    (.strongNoise, 48000, 0.46799),
    (.clipping, 48000, 0.61020),
    (.delay, 48000, 0.63280),
    (.holes, 48000, 0.69210),
  ]

  @Test(arguments: reference)
  func `It is what pystoi finds`(harm: Harm, sampleRate: Int, value: Double) throws {
    let said = ArtificialSpeech.frames(seconds: 4, sampleRate: sampleRate)
    let heard = harm.done(to: said, sampleRate: sampleRate)
    let measure = try #require(
      Intelligibility.stoi(said: said, heard: heard, sampleRate: sampleRate))
    #expect(abs(measure - value) < 0.0005, "\(measure)")
  }

  @Test func `What is heard as it was said has 1, however quiet`() throws {
    let said = ArtificialSpeech.frames(seconds: 3, sampleRate: 48_000)
    let measure = try #require(
      Intelligibility.stoi(said: said, heard: said.map { $0 / 50 }, sampleRate: 48_000))
    #expect(measure > 0.9999)
  }

  @Test func `Silence, or other speech, has next to nothing`() throws {
    let said = ArtificialSpeech.frames(seconds: 3, sampleRate: 16_000)
    let silence = [Float](repeating: 0, count: said.count)
    let none = try #require(Intelligibility.stoi(said: said, heard: silence, sampleRate: 16_000))
    #expect(abs(none) < 1e-6)
    let other = Array(said.reversed())
    let wrong = try #require(Intelligibility.stoi(said: said, heard: other, sampleRate: 16_000))
    #expect(wrong < 0.4, "\(wrong)")
  }

  @Test func `Of less than 384 ms, or of nothing said, there is no measure`() {
    let brief = ArtificialSpeech.frames(seconds: 0.3, sampleRate: 16_000)
    #expect(Intelligibility.stoi(said: brief, heard: brief, sampleRate: 16_000) == nil)
    #expect(Intelligibility.stoi(said: [], heard: [], sampleRate: 16_000) == nil)
  }
}
