import Testing

@testable import Voice

/// Settings as they are written, and sounds as files have them.
@Suite struct VoiceSettingsTests {
  @Test(
    arguments: [
      (.highPass, "80"), (.highPass, "off"), (.suppress, "strong"), (.suppressMix, "62.5"),
      (.gain, "auto"), (.gain, "-6.5"), (.gain, "off"), (.target, "-23"), (.gate, "-50"),
      (.gate, "voice"), (.vox, "-10"), (.vox, "off"), (.effect, "radio"), (.effect, "reverb"),
      (.effect, "off"), (.limit, "auto"), (.limit, "0"),
      (.limit, "off"),
    ] as [(VoiceSettings.Name, String)])
  func `what is set is read back as it was written`(name: VoiceSettings.Name, text: String) throws {
    #expect(try VoiceSettings([name: text]).text(of: name) == text)
  }

  @Test(
    arguments: [
      (.highPass, "19", "must be from 20 to 400, not 19"), (.suppress, "", "must be one of"),
      (.suppressMix, "nan", "must be a number, not \"nan\""),
      (.gain, "inf", "must be a number or \"auto\" or \"off\""),
      (
        .effect, "robot",
        "must be one of radio|reverb|pitch|off or pitch-12 to pitch+12, not \"robot\""
      ),
      (.vox, "-9", "must be from -80 to -10"), (.limit, "0.5", "must be from -20 to 0"),
    ] as [(VoiceSettings.Name, String, String)])
  func `what will not do is told in words`(
    name: VoiceSettings.Name, text: String, words: String
  ) {
    let problem = #expect(throws: VoiceSettings.Problem.self) { try VoiceSettings([name: text]) }
    #expect(problem?.words.contains(words) == true, "\(problem?.words ?? "")")
  }

  @Test func `each setting says what it does`() {
    for name in VoiceSettings.Name.allCases {
      #expect(!name.summary.isEmpty && !name.placeholder.isEmpty)
    }
  }
}

@Suite struct WaveSoundTests {
  private static let sound = WaveSound(sampleRate: 44_100, samples: [0, 0.5, -1, 0.25])

  @Test func `a sound is read as it was written`() throws {
    #expect(try WaveSound(wave: Self.sound.wave()) == Self.sound)
    let loud = WaveSound(sampleRate: 48_000, samples: [2, -2])
    #expect(try WaveSound(wave: loud.wave()).samples == [32_767 / 32_768, -1])
  }

  /// A file of two channels with these samples, and a block that nobody knows before them.
  private func file(format: UInt8, bits: UInt8, _ data: [UInt8]) -> [UInt8] {
    let width = bits / 8 * 2
    return Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEabcd".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
      + Array("fmt ".utf8) + [16, 0, 0, 0, format, 0, 2, 0, 0x80, 0xBB, 0, 0]
      + [0, 0, 0, 0, width, 0, bits, 0]
      + Array("data".utf8) + [UInt8(data.count), 0, 0, 0] + data
  }

  @Test(
    arguments: [
      (1, 16, [0, 0x40, 0, 0], [0.25]), (1, 24, [0, 0, 0x40, 0, 0, 0xC0], [0]),
      (1, 32, [0, 0, 0, 0x80, 0, 0, 0, 0x80], [-1]),
      (3, 32, [0, 0, 0x80, 0x3F, 0, 0, 0, 0], [0.5]),
    ] as [(UInt8, UInt8, [UInt8], [Float])])
  func `the mean of the channels is read, of samples of any kind`(
    format: UInt8, bits: UInt8, data: [UInt8], samples: [Float]
  ) throws {
    let sound = try WaveSound(wave: file(format: format, bits: bits, data))
    #expect(sound == WaveSound(sampleRate: 48_000, samples: samples))
  }

  @Test func `what is no sound is told in words, and nothing traps`() {
    let whole = Self.sound.wave()
    for count in 0..<44 {
      #expect(throws: WaveSound.Problem.self) { try WaveSound(wave: Array(whole.prefix(count))) }
    }
    for place in 0..<whole.count {
      var broken = whole
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        broken[place] = value
        _ = try? WaveSound(wave: broken)
      }
    }
    let problem = #expect(throws: WaveSound.Problem.self) {
      try WaveSound(wave: file(format: 2, bits: 4, []))
    }
    #expect(problem?.description.contains("ffmpeg") == true)
  }

  @Test func `a treated sound is as long as it was, and in its time`() throws {
    let word = Sounds.speech(-26, seconds: 1)
    let sound = WaveSound(sampleRate: 48_000, samples: [Float](repeating: 0, count: 9600) + word)
    let treated = sound.treated(try VoiceSettings([.vox: "-60", .limit: "-3"])).sound
    #expect(treated.samples.count == sound.samples.count)
    let error = zip(sound.samples, treated.samples).map { abs($0 - $1) }.max()
    #expect(try #require(error) < 1e-6)
  }
}
