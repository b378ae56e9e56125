import Foundation
import StatusSchema
import Testing

@testable import TestRig

/// Two real daemons on real JACK servers that do not run at the same rate.
@Suite(.serialized) struct OtherRateTests {
  private static let (hertzOfA, hertzOfB) = (500.0, 700.0)
  private static let rates = 48_000.0 / 44_100

  @Test func `both ends of a talk between 44.1 and 48 kHz hear the other at its pitch`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let pair = try NodePair(sampleRateOfA: 44_100, in: directory)
    for (station, hertz) in [(pair.a, Self.hertzOfA), (pair.b, Self.hertzOfB)] {
      try station.prepareToSay(Self.second(of: hertz, at: station.server.sampleRate), loops: true)
      try station.listen(to: [station.node.name == "A" ? "peer_B" : "peer_A"])
      try station.ear.start()
      try station.mouth.start()
    }
    try waitUntil("eight seconds of sound", within: 120) { () throws(RigError) in
      pair.b.ear.recordedFrames > 8 * 48_000 && pair.a.ear.recordedFrames > 8 * 44_100
    }
    #expect(try pair.a.node.status().audio.sampleRate == 44_100)
    for station in [pair.a, pair.b] {
      station.mouth.stop()
      station.ear.stop()
    }
    let (heardAtA, heardAtB) = (pair.a.ear.recording(), pair.b.ear.recording())
    #expect(Self.level(of: Self.hertzOfA, in: heardAtB, at: 48_000) > 0.2)
    #expect(Self.level(of: Self.hertzOfA * Self.rates, in: heardAtB, at: 48_000) < 0.03)
    #expect(Self.level(of: Self.hertzOfB, in: heardAtA, at: 44_100) > 0.2)
    #expect(Self.level(of: Self.hertzOfB / Self.rates, in: heardAtA, at: 44_100) < 0.03)
  }

  private static func second(of hertz: Double, at sampleRate: Int) -> [Float] {
    (0..<sampleRate).map { 0.3 * Float(sin(2 * .pi * hertz * Double($0) / Double(sampleRate))) }
  }

  /// The amplitude of a tone: the median of pieces of 250 ms after two seconds,
  /// so that a machine that stalls does not matter.
  private static func level(of hertz: Double, in pcm: [Float], at sampleRate: Int) -> Double {
    let pieces = stride(from: 2 * sampleRate, to: pcm.count - sampleRate / 4, by: sampleRate / 4)
    let levels = pieces.map { start in
      var (cosine, sine) = (0.0, 0.0)
      for frame in 0..<sampleRate / 4 {
        let phase = 2 * .pi * hertz * Double(frame) / Double(sampleRate)
        cosine += Double(pcm[start + frame]) * cos(phase)
        sine += Double(pcm[start + frame]) * sin(phase)
      }
      return 2 * (cosine * cosine + sine * sine).squareRoot() / Double(sampleRate / 4)
    }
    return Distribution(levels).median
  }
}
