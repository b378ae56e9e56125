import TestKit
import Testing

@testable import Media

/// What is learnt of a talker's pauses, and what is made of it.
@Suite struct ComfortNoiseTests {
  /// Noise of a level, through one pole: 0 is white, towards 1 it rumbles.
  private static func room(
    decibels: Float, pole: Float = 0, seconds: Double, seed: UInt64 = 7
  ) -> [Float] {
    var random = SplitMix64(seed: seed)
    var last: Float = 0
    let raw = (0..<Int(seconds * 48_000)).map { _ in
      last = pole * last + Float(random.gaussian())
      return last
    }
    let gain = (level(decibels) / Loudness.meanSquare(raw.span)).squareRoot()
    return raw.map { $0 * gain }
  }

  /// Bursts of half a second of a loud tone, with pauses of 0.3 s of a room.
  private static func talk(in room: [Float]) -> [Float] {
    room.enumerated().map { index, sample in
      index % 38_400 < 24_000 ? sample + 0.3 * ToneCodec.tone(at: Int64(index)) : sample
    }
  }

  private static func level(_ decibels: Float) -> Float {
    var result: Float = 1
    for _ in 0..<Int(-decibels) { result *= 0.794_328_2 }
    return result
  }

  private static func learnt(from pcm: [Float], blockFrames: Int = 480) -> ComfortNoise {
    var noise = ComfortNoise()
    for start in stride(from: 0, to: pcm.count - blockFrames + 1, by: blockFrames) {
      noise.learn(from: pcm.span.extracting(start..<start + blockFrames))
    }
    return noise
  }

  private static func generate(_ noise: ComfortNoise, frames: Int = 48_000) -> [Float] {
    var noise = noise
    noise.prepare()
    return (0..<frames).map { _ in noise.next() }
  }

  /// Autocorrelation at a lag over that at 0.
  private static func correlation(_ pcm: [Float], lag: Int) -> Float {
    var (sum, power): (Float, Float) = (0, 0)
    for index in lag..<pcm.count {
      sum += pcm[index] * pcm[index - lag]
      power += pcm[index] * pcm[index]
    }
    return sum / power
  }

  @Test(arguments: [120, 480, 960], [Float(-70), -60, -45])
  func `the level is that of the pauses whatever was said between`(
    blockFrames: Int, decibels: Float
  ) {
    let talk = Self.talk(in: Self.room(decibels: decibels, seconds: 6))
    let made = Self.generate(Self.learnt(from: talk, blockFrames: blockFrames))
    let level = Loudness.decibels(meanSquare: Loudness.meanSquare(made.span))
    #expect(abs(level - decibels) < 2, "\(level) dBov")
  }

  @Test(arguments: [Float(0), 0.5, 0.9])
  func `the spectrum is that of the pauses`(pole: Float) {
    let room = Self.room(decibels: -55, pole: pole, seconds: 6)
    let made = Self.generate(Self.learnt(from: Self.talk(in: room)))
    for lag in 1...4 {
      let difference = Self.correlation(made, lag: lag) - Self.correlation(room, lag: lag)
      #expect(abs(difference) < 0.1, "lag \(lag): \(difference)")
    }
  }

  @Test func `nothing in it repeats`() {
    let room = Self.room(decibels: -55, pole: 0.5, seconds: 6)
    let made = Self.generate(Self.learnt(from: Self.talk(in: room)))
    for lag in stride(from: 100, to: 24_000, by: 7) {
      #expect(abs(Self.correlation(made, lag: lag)) < 0.05, "lag \(lag)")
    }
  }

  @Test func `a steady tone becomes noise and soft noise`() {
    let tone = (0..<96_000).map { 0.5 * ToneCodec.tone(at: Int64($0)) }
    let noise = Self.learnt(from: tone)
    #expect(noise.meanSquare <= ComfortNoise.greatestMeanSquare)
    let made = Self.generate(noise)
    #expect(Loudness.meanSquare(made.span) < 2 * ComfortNoise.greatestMeanSquare)
    for periods in 4...40 {
      let lag = periods * ToneCodec.toneFrames
      #expect(abs(Self.correlation(made, lag: lag)) < 0.25, "lag \(lag)")
    }
  }

  @Test(arguments: [0, 120, 480, 481, 5760])
  func `silence teaches silence`(frames: Int) {
    var noise = ComfortNoise()
    let silence = [Float](repeating: 0, count: frames)
    for _ in 0..<100 { noise.learn(from: silence.span) }
    #expect(noise.meanSquare == 0)
    noise.prepare()
    #expect((0..<1000).allSatisfy { _ in noise.next() == 0 })
  }

  @Test func `nonsense teaches nothing`() {
    var noise = Self.learnt(from: Self.room(decibels: -55, seconds: 3))
    let before = noise.meanSquare
    for value in [Float.nan, .infinity, -.infinity, 1e30] {
      noise.learn(from: [Float](repeating: value, count: 480).span)
    }
    #expect(noise.meanSquare == before)
    let made = Self.generate(noise)
    #expect(made.allSatisfy { abs($0) < 0.1 })
  }

  @Test func `another talker has another room`() {
    var noise = Self.learnt(from: Self.room(decibels: -50, seconds: 3))
    noise.forget()
    #expect(noise.meanSquare == 0)
  }
}
