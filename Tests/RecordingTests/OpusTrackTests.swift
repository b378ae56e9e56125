import Audio
import Testing

@testable import Recording

@Suite struct OpusTrackTests {
  let folder: TestFolder
  let take: TakeFolder

  init() throws {
    folder = try TestFolder()
    take = try TakeFolder(in: folder.path, at: "take")
  }

  private func track(_ name: String, channels: Int = 1, sampleRate: Int = 48_000) throws
    -> OpusTrack
  {
    try OpusTrack(
      take.makeFile(for: name, .opus), channels: channels, sampleRate: sampleRate, serial: 7,
      vendor: "comlink test", comments: ["TITLE=Bühne", "DATE=2026-11-22"])
  }

  private func sound(_ name: String) throws -> OpusSound {
    try #require(try OpusSound(try folder.bytes("take/\(name).opus")))
  }

  @Test func `the headers are those of RFC 7845`() {
    let header = OpusHeader(
      channels: 2, preSkipFrames: 312, inputRate: 44_100, vendor: "v", comments: ["A=b"])
    #expect(
      header.identification
        == Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x44, 0xAC, 0, 0, 0, 0, 0])
    #expect(
      header.tags
        == Array("OpusTags".utf8) + [1, 0, 0, 0] + Array("v".utf8) + [1, 0, 0, 0, 3, 0, 0, 0]
        + Array("A=b".utf8))
  }

  @Test(arguments: [0, 1, 647, 648, 649, 960, 48_000, 48_001])
  func `a file has exactly the frames that were written`(frames: Int) throws {
    let track = try track("a")
    try track.write([Float](repeating: 0, count: frames).span)
    try track.finish()
    let file = try #require(OggFile(try folder.bytes("take/a.opus")))
    #expect(file.isEnded && file.serials == [7])
    #expect(try sound("a").frames.count == frames)
    #expect(try sound("a").tags == ["TITLE=Bühne", "DATE=2026-11-22"])
  }

  /// The steepest place of a step, in a file that began with so much silence.
  private func stepFrame(silence: Int, sampleRate: Int = 48_000, at step: Int) throws -> Int {
    let track = try track("step", sampleRate: sampleRate)
    try track.writeSilence(frames: silence)
    let click = (0..<sampleRate).map { Float($0 == step ? 0.9 : 0) }
    try track.write(click.span)
    try track.finish()
    let frames = try sound("step").frames
    #expect(abs(frames.count - (silence + sampleRate) * 48_000 / sampleRate) <= 1)
    return try #require(frames.indices.max { frames[$0].magnitude < frames[$1].magnitude })
  }

  @Test(arguments: [0, 1, 959, 960, 48_123])
  func `sound is where it was put, to the frame`(silence: Int) throws {
    #expect(try stepFrame(silence: silence, at: 5000) == silence + 5000)
  }

  @Test(arguments: [44_100, 96_000])
  func `other rates become 48 kHz at the same time`(sampleRate: Int) throws {
    let frame = try stepFrame(silence: sampleRate, sampleRate: sampleRate, at: sampleRate / 10)
    #expect(abs(frame - (48_000 + 4800)) <= 1)
  }

  @Test func `hours of silence before the first sound take little room`() throws {
    let track = try track("late")
    let frames = 3 * 3600 * 48_000
    try track.writeSilence(frames: frames)
    try track.finish()
    let file = try #require(OggFile(try folder.bytes("take/late.opus")))
    #expect(file.packets.last?.granule == frames + 312)
    #expect(track.byteCount < 3_000_000)
  }

  @Test func `after a crash all but what was not saved can be played`() throws {
    let track = try track("a")
    let tone = (0..<48_000 * 3).map { Float($0 % 96) / 200 }
    try track.write(tone.span)
    try track.save()
    let saved = try folder.bytes("take/a.opus")
    let whole = try #require(try OpusSound(saved))
    // The packet that is held back, and what does not fill one.
    #expect(whole.frames.count > 48_000 * 3 - 2 * 960)
    #expect(try OpusSound(Array(saved.dropLast(100)))?.frames.count ?? 0 > 48_000)
    let granules = try #require(OggFile(saved)).pageGranules
    #expect(zip(granules, granules.dropFirst()).allSatisfy { $1 - $0 <= 48_000 })
  }
}
