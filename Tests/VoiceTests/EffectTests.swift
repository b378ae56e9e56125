import Glibc
import Testing

@testable import Voice

/// What a voice is changed into, and that it ends when the voice does.
@Suite struct EffectTests {
  private func heard(
    _ effect: String, _ sound: [Float], rate: Int = 48_000
  ) throws -> [Float] {
    let chain = VoiceChain(
      try VoiceSettings([.effect: effect]), format: VoiceFormat(sampleRate: rate))
    return chain.treat(sound, frames: [rate / 100])
  }

  @Test(
    arguments: [44_100, 48_000, 96_000],
    [(100, -30), (300, -2), (1000, 4), (3400, -2), (6800, -32), (10_000, -50)]
      as [(Double, Double)])
  func `a radio has a band`(rate: Int, tone: (hertz: Double, most: Double)) throws {
    // So low that neither overdrive nor squelch sets in.
    let sound = Sounds.sine(tone.hertz, 0.001, seconds: 1, rate: rate)
    let heard = try self.heard("radio", sound, rate: rate)
    let change = Sounds.level(heard.suffix(rate / 2)) - Sounds.level(sound.suffix(rate / 2))
    #expect(change < tone.most)
    if (300...3400).contains(tone.hertz) { #expect(change > -10) }
  }

  @Test func `a radio is not late`() throws {
    var click = [Float](repeating: 0, count: 48_000)
    click[24_000] = 0.1
    let heard = try self.heard("radio", click)[24_000..<24_480]
    let power = heard.map { $0 * $0 }
    let middle = zip(0..., power).map { Float($0) * $1 }.reduce(0, +) / power.reduce(0, +)
    #expect((0...36).contains(middle), "\(middle)")
  }

  @Test func `a radio overdrives what is loud, within its band`() throws {
    let loud = Sounds.sine(1500, 0.9, seconds: 1)
    let heard = try self.heard("radio", loud)
    #expect(heard.allSatisfy { abs($0) < 0.8 })
    // The third harmonic, 4500 Hz, is beyond; without the second filter it were 10 dB higher.
    let third = Sounds.level(of: 4500, in: heard.suffix(24_000))
    #expect((-45 ... -22.0).contains(third), "\(third)")
  }

  @Test func `a radio hisses while somebody talks, and a moment longer`() throws {
    let silence = [Float](repeating: 0, count: 48_000)
    #expect(try heard("radio", silence).allSatisfy { $0 == 0 })
    let voice = Sounds.sine(1000, 0.1, seconds: 1)
    let after = try heard("radio", voice + silence).suffix(48_000).map { $0 }
    let hold = Sounds.level(after[4800..<9600])
    #expect((-66 ... -50.0).contains(hold), "\(hold)")
    let loudest =
      stride(from: 9600, to: 24_000, by: 480)
      .map { Sounds.level(after[$0..<$0 + 480]) }.max() ?? 0
    #expect((-42 ... -30.0).contains(loudest), "\(loudest)")
    #expect(Sounds.level(after.suffix(24_000)) < -90)
    #expect(after.suffix(4800).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `a room falls by 60 dB in its time, then is silent`(rate: Int) throws {
    var sound = [Float](repeating: 0, count: 6 * rate)
    sound[0] = 1
    let heard = try self.heard("reverb", sound, rate: rate)
    #expect(abs(heard[0] - 0.8) < 1e-6)
    func level(at seconds: Double) -> Double {
      let start = Int(seconds * Double(rate))
      return Sounds.level(heard[start..<start + rate / 10])
    }
    let decay = 60 * 0.4 / (level(at: 0.1) - level(at: 0.5))
    #expect((0.7 * ReverbEffect.decaySeconds...1.2 * ReverbEffect.decaySeconds).contains(decay))
    #expect(level(at: 5.5) == -200)
  }

  @Test func `a room is heard, and below the voice`() throws {
    let voice = Sounds.speech(-20, seconds: 3)
    let heard = try self.heard("reverb", voice)
    let room = zip(heard, voice).map { $0 - 0.8 * $1 }
    let below = Sounds.level(heard) - Sounds.level(room)
    #expect((4...16).contains(below), "\(below)")
    #expect(heard.allSatisfy { abs($0) < 1 })
  }

  @Test(arguments: [
    ["radio", "reverb"], ["reverb", "radio"], ["off", "radio"], ["reverb", "off"],
  ])
  func `effects change within a voice without a step`(effects: [String]) throws {
    // A tone within the band, so soft in its bends that a step of -60 dBFS would stand out.
    let sound = Sounds.sine(400, 0.05, seconds: 2)
    func roughness(_ ways: [String]) throws -> Double {
      let chain = VoiceChain(
        try VoiceSettings([.effect: ways[0]]), format: VoiceFormat(sampleRate: 48_000))
      var heard = chain.treat(Array(sound.prefix(48_000)))
      #expect(chain.change(to: try VoiceSettings([.effect: ways[1]])))
      heard += chain.treat(Array(sound.suffix(48_000)))
      return Sounds.roughness(heard.suffix(72_000))
    }
    let steady = max(
      try roughness([effects[0], effects[0]]), try roughness([effects[1], effects[1]]))
    #expect(try roughness(effects) < steady + 0.0005)
  }

  @Test func `what the voice is changed into is told, until it is none`() throws {
    let chain = VoiceChain(
      try VoiceSettings([.effect: "radio"]), format: VoiceFormat(sampleRate: 48_000))
    #expect(chain.effect?.text == "radio")
    #expect(chain.change(to: VoiceSettings()))
    _ = chain.treat(Sounds.speech(-30, seconds: 0.5))
    #expect(chain.effect == nil)
  }
}
