import TestKit
import Testing

@testable import Voice

/// The chain as a whole: what is off is not there, what is on is as late as it says, and nothing clicks.
@Suite struct VoiceChainTests {
  private func chain(
    _ texts: [VoiceSettings.Name: String], rate: Int = 48_000, frame: Int = 480
  ) throws -> VoiceChain {
    VoiceChain(
      try VoiceSettings(texts), format: VoiceFormat(sampleRate: rate, frameFrames: frame))
  }

  /// Each engine alone, then all of them.
  static let engines: [[VoiceSettings.Name: String]] = [
    [.highPass: "80"], [.echo: "on"], [.echo: "auto"], [.echo: "aec3"], [.suppress: "light"],
    [.suppress: "strong"], [.suppress: "strongest"], [.suppress: "light", .suppressMix: "50"],
    [.gain: "6"], [.gain: "auto"], [.gate: "-50"], [.gate: "voice"], [.vox: "-50"],
    [.vox: "voice"], [.effect: "radio"], [.effect: "reverb"], [.limit: "-12"], everything,
  ]
  static let everything: [VoiceSettings.Name: String] = [
    .highPass: "80", .echo: "on", .suppress: "strong", .gain: "auto", .gate: "voice", .vox: "-60",
    .limit: "-1",
  ]

  @Test func `with all of it off the sound is the same and in time`() throws {
    let chain = try chain([:])
    var sound = Sounds.noise(-20, seconds: 1)
    (sound[5], sound[6]) = (.infinity, 7)
    #expect(chain.treat(sound, frames: [120, 2880]) == sound)
    #expect(chain.delayFrames == 0)
    #expect(chain.hearsSpeech == nil && chain.automaticGainDecibels == nil)
  }

  // But for a radio: without the lowest harmonics a word is likest to itself elsewhere. Its click is in EffectTests.
  @Test(arguments: engines.filter { $0[.effect] != "radio" }, [120, 480])
  func `the delay that is told is the delay`(
    texts: [VoiceSettings.Name: String], frame: Int
  ) throws {
    let chain = try chain(texts, frame: frame)
    // A word after a second, and where it comes out best.
    let word = Sounds.speech(-20, seconds: 0.4)
    let sound = [Float](repeating: 0, count: 48_000) + word + [Float](repeating: 0, count: 9600)
    let heard = chain.treat(sound, frames: [frame])
    let told = chain.delayFrames
    func likeness(_ delay: Int) -> Double {
      var sum: Float = 0
      for index in word.indices { sum += word[index] * heard[48_000 + delay + index] }
      return Double(sum)
    }
    let best = stride(from: max(0, told - 600), through: told + 600, by: 8)
      .max { likeness($0) < likeness($1) }
    // A filter's phase moves the peak by a few samples.
    let error = try #require(best) - told
    #expect(abs(error) <= 24, "\(texts)")
  }

  @Test(arguments: engines.dropLast())
  func `the length of the frames changes nothing but the delay`(
    texts: [VoiceSettings.Name: String]
  ) throws {
    let sound = Sounds.speech(-30, seconds: 2)
    let long = try chain(texts, frame: 960), short = try chain(texts, frame: 120)
    let odd = try chain(texts, frame: 1)
    let heard = long.treat(sound, frames: [960]).dropFirst(long.delayFrames)
    let others = [
      short.treat(sound, frames: [120]).dropFirst(short.delayFrames),
      odd.treat(sound, frames: [1, 480, 77, 2000, 3]).dropFirst(odd.delayFrames),
    ]
    for other in others {
      let error = zip(heard, other).map { abs($0 - $1) }.max() ?? 1
      #expect(error < 1e-4, "\(texts)")
    }
  }

  @Test(arguments: engines)
  func `engines come and go while a voice sounds without a click`(
    texts: [VoiceSettings.Name: String]
  ) throws {
    // So slow a tone that its second difference is 21 µ; a step of -60 dBFS is a thousand.
    let chain = try chain([:])
    var heard = chain.treat(Sounds.sine(50, 0.5, seconds: 0.5))
    let wanted = try VoiceSettings(texts)
    var place = 0.5
    // Twice each way, the last change while the one before is under way.
    for (settings, seconds) in [
      (wanted, 1.0), (VoiceSettings(), 0.5), (wanted, 0.03), (VoiceSettings(), 1),
    ] {
      #expect(chain.change(to: settings))
      let sound = Sounds.sine(50, 0.5, seconds: place + seconds).dropFirst(Int(place * 48_000))
      heard += chain.treat(Array(sound))
      place += seconds
    }
    #expect(Sounds.roughness(heard) < 0.001, "\(texts)")
    #expect(heard.suffix(4800) == Sounds.sine(50, 0.5, seconds: place).suffix(4800))
    #expect(chain.delayFrames == 0)
  }

  @Test func `one engine takes another's place without a click`() throws {
    let chain = try chain([:])
    let ways: [[VoiceSettings.Name: String]] = [
      [.suppress: "light"], [.suppress: "strong"], [.gain: "12"], [.gain: "auto"],
      [.vox: "-40"], [.vox: "voice"], [.effect: "radio"], [.effect: "reverb"], [.highPass: "200"],
      [.highPass: "20"], [.limit: "-20"],
    ]
    let sound = Sounds.sine(50, 0.25, seconds: 0.4 * Double(ways.count))
    var heard: [Float] = []
    for (index, texts) in ways.enumerated() {
      #expect(chain.change(to: try VoiceSettings(texts)))
      heard += chain.treat(Array(sound[(index * 19_200)..<((index + 1) * 19_200)]))
    }
    #expect(Sounds.roughness(heard) < 0.001)
  }

  @Test(arguments: engines.map { ($0, 48_000) } + [8000, 44_100, 96_000].map { (everything, $0) })
  func `what is no sound goes in, and sound comes out`(
    texts: [VoiceSettings.Name: String], rate: Int
  ) throws {
    let chain = try chain(texts, rate: rate, frame: 1)
    var random = SplitMix64(seed: 3)
    let garbage = (0..<rate / 4).map { _ in Float(bitPattern: UInt32(random.next() >> 32)) }
    let bad = chain.treat(garbage, frames: [256])
    let isSound = bad.allSatisfy { $0.isFinite && abs($0) <= 200 }
    #expect(isSound)
    // And afterwards a voice is what it is.
    let voice = Sounds.speech(-26, seconds: 6, rate: rate)
    let heard = chain.treat(voice, frames: [256]).suffix(rate)
    let fresh = try self.chain(texts, rate: rate, frame: 1).treat(voice, frames: [256]).suffix(rate)
    let isVoice = heard.allSatisfy { $0.isFinite && abs($0) < 1 }
    #expect(isVoice)
    // All at once take longer until they trust their ears again.
    let most = texts.count > 2 ? 40.0 : 6
    #expect(abs(Sounds.level(heard) - Sounds.level(fresh)) < most, "\(texts)")
  }

  @Test func `a change that was made from other settings is not taken`() throws {
    let chain = try chain([:])
    let first = VoiceChange(
      from: chain.settings, to: try VoiceSettings([.gain: "6"]), format: chain.format)
    let second = VoiceChange(
      from: chain.settings, to: try VoiceSettings([.gate: "-50"]), format: chain.format)
    #expect(chain.apply(first))
    #expect(!chain.apply(second))
    #expect(chain.settings == (try VoiceSettings([.gain: "6"])))
  }
}

/// What the chain costs the heap once it runs: nothing.
@Suite(
  .serialized,
  .enabled(
    if: !AllocationWatch.hasSanitizer && !_isDebugAssertConfiguration(),
    "a sanitizer has its own malloc; run with -Xswiftc -O"))
struct VoiceAllocationTests {
  @Test func `no frame allocates, nor does a change that comes into force`() throws {
    guard let watch = AllocationWatch() else {
      #expect(try AllocationWatch.runCounted("VoiceTests.VoiceAllocationTests"))
      return
    }
    let settings = try VoiceSettings(VoiceChainTests.everything)
    for (rate, frame, effect) in [
      (48_000, 120, .off), (44_100, 256, .radio), (48_000, 120, .reverb),
    ] as [(Int, Int, VoiceSettings.Effect)] {
      var settings = settings
      settings.effect = effect
      let format = VoiceFormat(sampleRate: rate, frameFrames: rate == 48_000 ? frame : 1)
      let chain = VoiceChain(settings, format: format)
      var sound = Sounds.speech(-26, seconds: 0.1, rate: rate).prefix(frame).map { $0 }
      let played = sound.map { $0 }
      let change = VoiceChange(from: settings, to: VoiceSettings(), format: format)
      watch.begin()
      let before = watch.count
      for round in 0..<800 {
        if round == 400 { _ = chain.apply(change) }
        var span = sound.mutableSpan
        chain.process(&span, left: played.span, right: played.span)
      }
      let counted = watch.count - before
      watch.end()
      #expect(counted == 0, "\(rate) Hz")
    }
    #expect(countedByMask(watch) == 0, "the network beside RNNoise")
    try watch.report()
  }

  /// Where RNNoise is not installed no chain has the network beside it, so it is counted by itself.
  private func countedByMask(_ watch: AllocationWatch) -> Int {
    var mask = BandMask()
    let sound = Sounds.speech(-26, seconds: 0.01, rate: 48_000).map { $0 }
    let silence = [Float](repeating: 0, count: sound.count)
    var left = sound.map { $0 }
    watch.begin()
    let before = watch.count
    for block in 0..<200 {
      // A voice, and then a pause.
      mask.hear(block < 100 ? sound.span : silence.span)
      var span = left.mutableSpan
      mask.make(&span, voice: block < 100 ? 1 : 0)
    }
    let counted = watch.count - before
    watch.end()
    return counted
  }
}
