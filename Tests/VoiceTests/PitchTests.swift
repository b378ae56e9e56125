import Glibc
import Testing

@testable import Voice

/// A voice that is made higher or lower, by SoundTouch.
@Suite struct PitchTests {
  private func chain(_ effect: String, rate: Int = 48_000) throws -> VoiceChain {
    let chain = VoiceChain(
      try VoiceSettings([.effect: effect]),
      format: VoiceFormat(sampleRate: rate, frameFrames: rate / 400))
    #expect(chain.problem == nil)
    return chain
  }

  @Test(arguments: [44_100, 48_000, 96_000], [-12, -4, 3, 4, 12] as [Double])
  func `a voice is so many semitones higher, or lower`(rate: Int, semitones: Double) throws {
    let effect = try #require(VoiceSettings.Effect(text: "pitch\(semitones)"))
    let tone = Sounds.sine(600, 0.1, seconds: 3, rate: rate)
    let heard = try chain(effect.text, rate: rate).treat(tone, frames: [rate / 400])
    let hertz = 600 * exp2(semitones / 12)
    let middle = heard.dropFirst(rate).prefix(rate)
    // Where two pieces meet the tone wavers.
    let near = (-6...6).map { Sounds.level(of: hertz + Double($0), in: middle, rate: rate) }
    #expect(try #require(near.max()) > -32, "\(near)")
    #expect(Sounds.level(of: 600, in: middle, rate: rate) < -45)
    #expect(abs(Sounds.level(middle) - Sounds.level(tone)) < 2)
  }

  @Test(arguments: [44_100, 48_000, 96_000], ["pitch", "pitch-4", "pitch+12", "pitch-12"])
  func `a voice is as late as told`(rate: Int, effect: String) throws {
    var sound = [Float](repeating: 0, count: 2 * rate)
    let burst = Sounds.sine(800, 0.3, seconds: 0.1, rate: rate)
    sound.replaceSubrange(rate..<rate + burst.count, with: burst)
    let chain = try chain(effect, rate: rate)
    let heard = chain.treat(sound, frames: [rate / 400])
    let power = heard.map { Double($0) * Double($0) }
    let middle = zip(0..., power).map { Double($0) * $1 }.reduce(0, +) / power.reduce(0, +)
    let late = 1000 * (middle - Double(rate + burst.count / 2)) / Double(rate)
    #expect(abs(late - chain.delayMilliseconds) < 5, "\(late), told \(chain.delayMilliseconds)")
    #expect((8...25).contains(chain.delayMilliseconds))
  }

  @Test(arguments: [[16], [120], [480], [16, 480, 441, 1, 1024, 64]])
  func `frames of any length come out without a hole`(frames: [Int]) throws {
    let tone = Sounds.sine(600, 0.1, seconds: 3)
    let heard = try chain("pitch").treat(tone, frames: frames).dropFirst(48_000)
    let gaps = zip(heard, heard.dropFirst()).filter { $0 == 0 && $1 == 0 }.count
    #expect(gaps == 0)
    #expect(Sounds.roughness(heard) < 0.1)
  }

  @Test(arguments: [
    ["off", "pitch"], ["pitch", "off"], ["pitch", "pitch-4"], ["radio", "pitch"],
  ])
  func `it comes and goes without a step`(effects: [String]) throws {
    let sound = Sounds.sine(200, 0.05, seconds: 2)
    func roughness(_ ways: [String]) throws -> Double {
      let chain = try chain(ways[0])
      var heard = chain.treat(Array(sound.prefix(48_000)))
      #expect(chain.change(to: try VoiceSettings([.effect: ways[1]])))
      heard += chain.treat(Array(sound.suffix(48_000)))
      return Sounds.roughness(heard.suffix(72_000))
    }
    let steady = max(
      try roughness([effects[0], effects[0]]), try roughness([effects[1], effects[1]]))
    #expect(try roughness(effects) < steady + 0.0005)
  }

  @Test func `without the library the voice stays, and it is said what to do`() throws {
    let missing = Result { () throws(MissingLibrary) in
      try SoundTouchLibrary(names: ["/nowhere/libSoundTouchDll.so.1"])
    }
    let chain = VoiceChain(VoiceSettings(), format: VoiceFormat(sampleRate: 48_000))
    let change = VoiceChange(
      from: VoiceSettings(), to: try VoiceSettings([.effect: "pitch"]), format: chain.format,
      rnnoise: .failure(.unwanted), soundTouch: missing)
    #expect(chain.apply(change))
    let problem = try #require(chain.problem)
    #expect(problem.hasPrefix("SoundTouch is not installed ("))
    #expect(problem.contains("install the package libsoundtouch1, or take effect radio or reverb"))
    let voice = Sounds.speech(-30, seconds: 0.5)
    #expect(chain.treat(voice) == voice)
    // So that others are not told of what nobody hears.
    #expect(chain.effect == nil)
  }

  @Test func `a library of another kind is told`() {
    #expect(throws: MissingLibrary.self) {
      try SoundTouchLibrary(names: ["libm.so.6"])
    }
  }
}
