import Glibc
import TestKit
import Testing

@testable import Recording

/// Voice messages from sound to sound.
@Suite(.timeLimit(.minutes(1))) struct ClipTests {
  /// A tone whose pitch rises, so that each place sounds of its own.
  private static func sweep(seconds: Double, rate: Int = 48_000) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { index in
      let time = Double(index) / Double(rate)
      return Float(0.5 * sin(2 * .pi * (300 + 100 * time) * time))
    }
  }

  private func clip(_ pcm: [Float], rate: Int = 48_000) throws -> Clip {
    let writer = try ClipWriter(sampleRate: rate, vendor: "test")
    for start in stride(from: 0, to: pcm.count, by: 700) {
      try writer.write(Array(pcm[start..<min(start + 700, pcm.count)]), sampleRate: rate)
    }
    return try writer.finish()
  }

  private func played(_ player: ClipPlayer) -> [Float] {
    var result: [Float] = []
    while let pcm = player.read() { result += pcm }
    return result
  }

  /// Times the signal goes up through zero, a second.
  private func hertz(_ pcm: ArraySlice<Float>, rate: Int = 48_000) -> Double {
    let crossings = zip(pcm, pcm.dropFirst()).count { $0 < 0 && $1 >= 0 }
    return Double(crossings) * Double(rate) / Double(pcm.count)
  }

  @Test(arguments: [48_000, 44_100, 16_000])
  func `what was recorded is played, as long and as loud`(
    rate: Int
  ) throws {
    let clip = try clip(Self.sweep(seconds: 3, rate: rate), rate: rate)
    #expect(abs(clip.milliseconds - 3000) <= 1)
    #expect((290...301).contains(clip.peaks.count))
    #expect(clip.peaks.dropFirst(2).dropLast(2).allSatisfy { (115...140).contains($0) })
    #expect(clip.file.count < 16_000, "32 kbit/s")
    let player = try ClipPlayer(clip.file, sampleRate: 48_000)
    #expect(abs(player.seconds - 3) < 0.002)
    let pcm = played(player)
    #expect(abs(pcm.count - 144_000) < 100)
    #expect(abs(hertz(pcm[48_000..<52_800]) - 510) < 12)
  }

  @Test(arguments: [0.75, 1.25, 1.5, 2]) func `another speed takes less or more time at one pitch`(
    speed: Double
  ) throws {
    let tone = (0..<192_000).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / 48_000)) }
    let player = try ClipPlayer(try clip(tone).file, sampleRate: 48_000)
    try player.setSpeed(speed)
    let pcm = played(player)
    #expect(abs(Double(pcm.count) * speed / 192_000 - 1) < 0.03)
    #expect(abs(hertz(pcm[9600..<57_600]) - 440) < 4)
    let loud = pcm[9600..<57_600].map { $0 * $0 }.reduce(0, +) / 48_000
    #expect(abs(loud - 0.125) < 0.02, "no holes, and no sum of what does not fit: \(loud)")
  }

  @Test func `a player seeks to any place, and says where it is`() throws {
    let player = try ClipPlayer(
      try clip(Self.sweep(seconds: 4)).file, sampleRate: 44_100)
    for place in [2.5, 0.3, 3.9, 1.0] {
      try player.seek(to: place)
      #expect(abs(player.elapsedSeconds - place) < 0.001)
      var pcm: [Float] = []
      while pcm.count < 4410, let more = player.read() { pcm += more }
      // At the middle of what was read: 300 + 2 · 100 t.
      let middle = place + Double(pcm.count) / 2 / 44_100
      #expect(abs(hertz(pcm[...], rate: 44_100) - (300 + 200 * middle)) < 30)
    }
    try player.seek(to: 99)
    #expect(played(player).count < 100)
    try player.seek(to: -.infinity)
    #expect(abs(played(player).count - 176_400) < 200)
  }

  @Test func `ten minutes are the most, and silence is nothing`() throws {
    let writer = try ClipWriter(sampleRate: 8000, vendor: "test")
    let minute = [Float](repeating: 0, count: 480_000)
    for _ in 0..<10 { try writer.write(minute, sampleRate: 8000) }
    #expect(throws: ClipError.tooLong) {
      try writer.write([Float](repeating: 0, count: 4000), sampleRate: 8000)
    }
    let clip = try writer.finish()
    #expect(clip.milliseconds == 600_000 && clip.peaks.count == 1000)
    #expect(throws: ClipError.empty) {
      try ClipWriter(sampleRate: 48_000, vendor: "test").finish()
    }
  }

  @Test func `whatever another node sends as a message ends in sound, silence or an error`() throws
  {
    let file = try clip(Self.sweep(seconds: 1)).file
    var random = SplitMix64(seed: 4)
    for round in 0..<(Seeds.areAll ? 100_000 : 600) {
      var bad = file
      switch round % 4 {
      case 0: bad.removeLast(Int.random(in: 1...bad.count, using: &random))
      case 1: bad.insert(contentsOf: bad.prefix(Int.random(in: 1...300, using: &random)), at: 40)
      default:
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          bad[Int.random(in: bad.indices, using: &random)] = .random(in: 0...255, using: &random)
        }
      }
      // Pages that are right again, so that what they hold is looked at.
      if round % 2 == 1 { OggFile.mend(&bad) }
      guard let player = try? ClipPlayer(bad, sampleRate: 48_000) else { continue }
      try player.seek(to: .random(in: 0...player.seconds, using: &random))
      let count = played(player).count
      #expect(Double(count) <= 48_000 * (player.seconds + 0.2), "seed \(round)")
    }
  }
}
