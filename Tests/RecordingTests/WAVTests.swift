import Testing

@testable import Recording

@Suite struct WAVTests {
  let folder: TestFolder
  let take: TakeFolder

  init() throws {
    folder = try TestFolder()
    take = try TakeFolder(in: folder.path, at: "take")
  }

  private func track(_ name: String, channels: Int = 1) throws -> WAVTrack {
    try WAVTrack(take.makeFile(for: name, .wav), channels: channels, sampleRate: 48_000)
  }

  @Test func `a header is RIFF with room for larger sizes`() {
    let bytes = WAVHeader(channels: 2, sampleRate: 44_100, dataBytes: 600).bytes
    #expect(bytes.count == WAVHeader.byteCount)
    #expect(bytes.text(at: 0, 4) == "RIFF" && bytes.number(at: 4, 4) == 672)
    #expect(bytes.text(at: 12, 4) == "JUNK" && bytes.number(at: 16, 4) == 28)
    #expect(bytes.text(at: 48, 8) == "fmt \u{10}\0\0\0")
    #expect(bytes.number(at: 60, 4) == 44_100)
    #expect(bytes.number(at: 64, 4) == 264_600 && bytes.number(at: 68, 2) == 6)
    #expect(bytes.text(at: 72, 4) == "data" && bytes.number(at: 76, 4) == 600)
  }

  /// EBU Tech 3306 §3: the sizes of 32 bits are all ones, those of 64 in `ds64` count.
  @Test func `from 4 GiB on a header is RF64`() {
    let most = Int(UInt32.max) - (WAVHeader.byteCount - 8)
    let last = WAVHeader(channels: 1, sampleRate: 48_000, dataBytes: most / 6 * 6).bytes
    #expect(last.text(at: 0, 4) == "RIFF")
    let bytes = WAVHeader(channels: 1, sampleRate: 48_000, dataBytes: 6_000_000_000).bytes
    #expect(bytes.text(at: 0, 4) == "RF64" && bytes.number(at: 4, 4) == Int(UInt32.max))
    #expect(bytes.text(at: 12, 4) == "ds64" && bytes.number(at: 20, 8) == 6_000_000_072)
    #expect(bytes.number(at: 28, 8) == 6_000_000_000 && bytes.number(at: 36, 8) == 2_000_000_000)
    #expect(bytes.number(at: 76, 4) == Int(UInt32.max))
  }

  @Test(arguments: [1, 2]) func `samples come back to 24 bits`(channels: Int) throws {
    let pcm: [Float] = [0, 0.5, -0.5, 0.999, -1, 1, 7, -.infinity, .nan, 1e-6]
    let track = try track("a", channels: channels)
    try track.write(pcm.span)
    try track.finish()
    let sound = try #require(WAVSound(try folder.bytes("take/a.wav")))
    #expect(sound.channels == channels && sound.sampleRate == 48_000)
    let read = (0..<pcm.count).map { sound.frames[$0 % channels][$0 / channels] }
    let expected: [Float] = [0, 0.5, -0.5, 0.999, -1, 1, 1, -1, 0, 1e-6]
    for (one, other) in zip(read, expected) { #expect(abs(one - other) <= 1.2e-7) }
  }

  @Test func `after a crash what was saved can be read`() throws {
    let track = try track("a")
    try track.write([Float](repeating: 0.25, count: 30_000).span)
    try track.save()
    try track.write([Float](repeating: 0.5, count: 10_000).span)
    // Not finished: this is what lies on the disk when the power goes.
    let bytes = Array(try folder.bytes("take/a.wav").prefix(WAVHeader.byteCount + 90_000))
    let sound = try #require(WAVSound(bytes))
    #expect(sound.frames[0].count == 30_000)
  }

  @Test func `silence before the first sound is a hole and takes no time`() throws {
    let track = try track("late")
    let frames = 3 * 3600 * 48_000
    try track.writeSilence(frames: frames)
    try track.write([0.5, 0.5].span)
    try track.finish()
    #expect(track.byteCount == WAVHeader.byteCount + 3 * (frames + 2))
  }

  @Test func `an odd number of bytes is padded`() throws {
    let track = try track("odd")
    try track.write([0.5].span)
    try track.finish()
    let bytes = try folder.bytes("take/odd.wav")
    #expect(bytes.count == WAVHeader.byteCount + 4)
    #expect(WAVSound(bytes)?.frames == [[0.5]])
  }
}
