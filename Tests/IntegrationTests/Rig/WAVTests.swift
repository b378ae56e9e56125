import Testing

@testable import TestRig

struct WAVTests {
  @Test(arguments: WAV.Encoding.allCases, [1, 2, 5])
  func `a sound comes back as it was written`(encoding: WAV.Encoding, channels: Int) throws {
    var voice = TestVoice(seed: UInt64(channels))
    let sound = Sound(
      channels: (0..<channels).map { _ in voice.samples(1001) }, sampleRate: 44_100)
    let read = try WAV.decode(WAV.encode(sound, encoding))
    #expect(read.sampleRate == 44_100)
    #expect(read.channels.count == channels)
    let tolerance: Float = encoding == .pcm16 ? 0.5 / 32768 : 0
    for (written, read) in zip(sound.channels, read.channels) {
      #expect(written.count == read.count)
      #expect(zip(written, read).allSatisfy { abs($0 - $1) <= tolerance })
    }
  }

  @Test func `louder than full scale is clipped`() throws {
    let sound = Sound(channels: [[2, -2, 0]], sampleRate: 48_000)
    let read = try WAV.decode(WAV.encode(sound, .pcm16))
    #expect(read.channels == [[32767.0 / 32768, -1, 0]])
  }

  @Test func `pcm 24 is read`() throws {
    var bytes = WAV.encode(Sound(channels: [[0, 0, 0]], sampleRate: 8000), .pcm16)
    // 24 bits: 0x400000 is a half, 0x800000 is -1.
    bytes[34] = 24
    bytes.replaceSubrange(44..., with: [0, 0, 0x40, 0, 0, 0x80])
    #expect(try WAV.decode(bytes).channels == [[0.5, -1]])
  }

  @Test func `every truncation is an error or a shorter sound`() {
    let bytes = WAV.encode(Sound(channels: [[0.5, 0.25]], sampleRate: 8000), .pcm16)
    for count in 0..<bytes.count {
      let sound = try? WAV.decode(Array(bytes[..<count]))
      #expect((sound?.frames ?? 0) < 2)
    }
  }

  @Test(arguments: [[], Array("RIFF".utf8)])
  func `what is no sound is refused in words`(bytes: [UInt8]) {
    #expect(throws: WAV.FormatError(reason: "not a RIFF/WAVE file")) { try WAV.decode(bytes) }
  }
}
