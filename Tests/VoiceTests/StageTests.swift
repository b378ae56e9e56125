import Glibc
import Testing

@testable import Voice

/// Each engine by itself.
@Suite struct StageTests {
  private func heard(
    _ texts: [VoiceSettings.Name: String], _ sound: [Float], rate: Int = 48_000
  ) throws -> [Float] {
    // Suppression strong is libspeexdsp's, whatever is installed: RNNoise takes white noise for hisses of speech.
    let change = VoiceChange(
      from: VoiceSettings(), to: try VoiceSettings(texts),
      format: VoiceFormat(sampleRate: rate, frameFrames: 1), rnnoise: .failure(.unwanted))
    return VoiceChain(change).treat(sound, frames: [rate / 100])
  }

  @Test(
    arguments: [44_100, 48_000, 96_000], [(20, -24.1), (80, -3), (800, 0)] as [(Double, Double)])
  func `the high pass takes out what is below it`(rate: Int, tone: (Double, Double)) throws {
    let sound = Sounds.sine(tone.0, 0.5, seconds: 1, rate: rate)
    let heard = try self.heard([.highPass: "80"], sound, rate: rate)
    let change = Sounds.level(heard.suffix(rate / 2)) - Sounds.level(sound.suffix(rate / 2))
    #expect(abs(change - tone.1) < 0.3)
  }

  @Test func `a fixed gain is what it says`() throws {
    let sound = Sounds.speech(-40, seconds: 1)
    #expect(abs(Sounds.level(try heard([.gain: "-6.5"], sound)) + 46.5) < 0.01)
    let raised = try heard([.gain: "20"], sound)
    #expect(abs(Sounds.level(raised) + 20) < 0.3)
  }

  @Test(arguments: [-12, -1, 0.0])
  func `nothing is above the ceiling, and what is below it is as it was`(ceiling: Double) throws {
    let most = Float(pow(10, ceiling / 20))
    var sound = Sounds.speech(-14, seconds: 2).map { $0 * 3 }
    for index in stride(from: 5000, to: sound.count, by: 3001) { sound[index] = 3 }
    let heard = try self.heard([.limit: "\(ceiling)"], sound)
    #expect(heard.allSatisfy { abs($0) <= most })
    let quiet = Sounds.speech(-40, seconds: 1)
    let delay = 48
    #expect(try self.heard([.limit: "\(ceiling)"], quiet).dropFirst(delay) == quiet.dropLast(delay))
  }

  @Test func `a limiter bends a tone and does not break it`() throws {
    let loud = Sounds.sine(200, 1.5, seconds: 1)
    let heard = try self.heard([.limit: "-6"], loud).suffix(24_000)
    #expect(heard.contains { abs($0) > 0.49 })
    // A tone clipped at that height would have corners of 0.02.
    #expect(Sounds.roughness(heard) < 0.002)
  }

  @Test(arguments: ["light": -10.0, "strong": -16.0])
  func `noise goes down and speech stays`(suppress: String, most: Double) throws {
    let noise = Sounds.noise(-40, seconds: 4)
    let without = try heard([.suppress: suppress], noise).suffix(48_000)
    #expect(Sounds.level(without) < -40 + most)
    let speech = Sounds.speech(-20, seconds: 4)
    let with = try heard([.suppress: suppress], zip(noise, speech).map { $0 + $1 })
    #expect(abs(Sounds.level(with.suffix(96_000)) - Sounds.level(speech.suffix(96_000))) < 2)
  }

  @Test func `a part of the suppressor is a part`() throws {
    let noise = Sounds.noise(-40, seconds: 3)
    let none = try heard([.suppress: "light", .suppressMix: "0"], noise)
    #expect(abs(Sounds.level(none.suffix(48_000)) - Sounds.level(noise)) < 0.1)
    let half = try heard([.suppress: "light", .suppressMix: "50"], noise)
    #expect((-46 ... -44.0).contains(Sounds.level(half.suffix(48_000))))
  }
}

/// Gates: what opens them, how long, and what gets through.
@Suite struct VoiceGateTests {
  private func chain(_ texts: [VoiceSettings.Name: String]) throws -> VoiceChain {
    VoiceChain(try VoiceSettings(texts), format: VoiceFormat(sampleRate: 48_000, frameFrames: 480))
  }

  private func bursts(_ levels: [(decibels: Double, seconds: Double)]) -> [Float] {
    levels.flatMap { level in
      let peak = pow(10, level.decibels / 20) * 2.0.squareRoot()
      return Sounds.sine(1000, peak, seconds: level.seconds)
    }
  }

  @Test func `a word opens the VOX from its first sample, and it shuts 0,7 s after`() throws {
    let chain = try chain([.vox: "-40"])
    let sound = bursts([(-80, 2), (-30, 0.3), (-80, 2)])
    let heard = chain.treat(sound)
    #expect(chain.isTransmitting == false)
    #expect(heard[60_000..<95_900].allSatisfy { $0 == 0 })
    let (start, delay) = (96_000, chain.delayFrames)
    #expect(delay == 1440)
    // The first period of the word is there, as loud as it came.
    let first = Sounds.level(heard[(start + delay)..<(start + delay + 480)])
    #expect(abs(first - Sounds.level(sound[start..<start + 480])) < 0.1)
    let end = try #require(heard.lastIndex { $0 != 0 })
    let seconds = Double(end - start) / 48_000
    #expect((1.01...1.11).contains(seconds))
  }

  @Test(arguments: [(-43.0, true), (-49.0, false)])
  func `it stays open 6 dB below the threshold`(level: Double, stays: Bool) throws {
    let chain = try chain([.vox: "-40"])
    _ = chain.treat(bursts([(-35, 0.2), (level, 2)]))
    #expect(chain.isTransmitting == stays)
  }

  @Test func `it begins shut, and open where it comes while somebody may talk`() throws {
    let (start, present) = (try chain([.vox: "-20"]), try chain([:]))
    #expect(start.treat(bursts([(-30, 1)])).allSatisfy { $0 == 0 })
    _ = present.treat(bursts([(-30, 1)]))
    #expect(present.change(to: try VoiceSettings([.vox: "-20"])))
    let heard = present.treat(bursts([(-30, 1)]))
    #expect(abs(Sounds.level(heard[4800..<28_800]) + 30) < 0.2)
    #expect(heard.suffix(4800).allSatisfy { $0 == 0 })
  }

  @Test func `what is too low does not open it`() throws {
    let chain = try chain([.vox: "-40"])
    _ = chain.treat(bursts([(-80, 2)]))
    let heard = chain.treat(bursts([(-43, 2)]))
    #expect(heard.allSatisfy { $0 == 0 })
  }

  @Test func `a gate lowers by 20 dB and delays nothing`() throws {
    let chain = try chain([.gate: "-40"])
    #expect(chain.delayFrames == 0)
    let heard = chain.treat(bursts([(-50, 1), (-30, 0.5), (-50, 1.5)]))
    #expect(abs(Sounds.level(heard[40_000..<48_000]) + 70) < 0.2)
    #expect(abs(Sounds.level(heard[50_000..<70_000]) + 30) < 0.2)
    #expect(abs(Sounds.level(heard.suffix(20_000)) + 70) < 0.2)
  }
}

/// The gain that waits for speech.
@Suite struct AutomaticGainTests {
  private func gain() throws -> VoiceChain {
    VoiceChain(
      try VoiceSettings([.gain: "auto"]), format: VoiceFormat(sampleRate: 48_000, frameFrames: 480))
  }

  @Test(arguments: [-46, -36, -26, -16.0])
  func `speech is at its target within 2 dB after 4 s`(level: Double) throws {
    let heard = try gain().treat(Sounds.speech(level, seconds: 8))
    // Active level: without the pauses, of which artificial speech has a seventh and more.
    let active = stride(from: 4 * 48_000, to: heard.count - 480, by: 480)
      .map { Sounds.level(heard[$0..<$0 + 480]) }.filter { $0 > -36 }
    let mean = 10 * log10(active.map { pow(10, $0 / 10) }.reduce(0, +) / Double(active.count))
    #expect(abs(mean + 20) < 2, "\(mean)")
    #expect(heard.allSatisfy { abs($0) <= 0.892 })
  }

  @Test(arguments: [-60, -40, -20.0])
  func `noise alone is not raised`(level: Double) throws {
    let chain = try gain()
    let heard = chain.treat(Sounds.noise(level, seconds: 5))
    #expect(chain.automaticGainDecibels == 0)
    #expect(abs(Sounds.level(heard) - level) < 0.1)
  }

  @Test func `noise after speech keeps the gain that the speech had`() throws {
    let chain = try gain()
    _ = chain.treat(Sounds.speech(-36, seconds: 6))
    let before = try #require(chain.automaticGainDecibels)
    #expect(before > 10)
    _ = chain.treat(Sounds.noise(-60, seconds: 10))
    let after = try #require(chain.automaticGainDecibels)
    #expect(abs(after - before) < 2)
  }

  @Test func `another target goes on from the gain that was`() throws {
    let chain = try gain()
    _ = chain.treat(Sounds.speech(-36, seconds: 6))
    let before = try #require(chain.automaticGainDecibels)
    #expect(chain.change(to: try VoiceSettings([.gain: "auto", .target: "-26"])))
    #expect(chain.automaticGainDecibels == before)
    _ = chain.treat(Sounds.speech(-36, seconds: 6))
    let after = try #require(chain.automaticGainDecibels)
    #expect(abs(after - before + 6) < 1)
  }
}
