import Audio
import Foundation
import Testing

@testable import Recording

@Suite struct OpusTrackTests {
  let folder: TestFolder
  let take: TakeFolder

  init() throws {
    folder = try TestFolder()
    take = try TakeFolder(in: folder.path, at: "take")
  }

  private func track(_ name: String, channels: Int = 1) throws -> OpusTrack {
    try OpusTrack(
      take.makeFile(for: name, .opus), channels: channels, inputRate: 48_000, serial: 7,
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
  private func stepFrame(silence: Int, at step: Int) throws -> Int {
    let track = try track("step")
    try track.writeSilence(frames: silence)
    let click = (0..<48_000).map { Float($0 == step ? 0.9 : 0) }
    try track.write(click.span)
    try track.finish()
    let frames = try sound("step").frames
    #expect(frames.count == silence + 48_000)
    return try #require(frames.indices.max { frames[$0].magnitude < frames[$1].magnitude })
  }

  @Test(arguments: [0, 1, 959, 960, 48_123])
  func `sound is where it was put, to the frame`(silence: Int) throws {
    #expect(try stepFrame(silence: silence, at: 5000) == silence + 5000)
  }

  @Test(arguments: [0, 500, 9600, 9601, 48_123, 960_000])
  func `silence between sounds is silent, and both stay where they are`(silence: Int) throws {
    let track = try track("gap")
    let step = 2 * Float.pi * 500 / 48_000
    let tone: [Float] = (0..<20_000).map { 0.25 * sin(Float($0) * step) }
    try track.write(tone.span)
    try track.writeSilence(frames: silence)
    try track.write(tone.span)
    try track.finish()
    let frames = try sound("gap").frames
    #expect(frames.count == 40_000 + silence)
    for start in [2000, 22_000 + silence] {
      let errors: [Float] = (0..<16_000).map { abs(frames[start + $0] - tone[2000 + $0]) }
      let error = errors.max() ?? 1
      #expect(error < 0.05, "\(start)")
    }
    if silence > 4000 {
      #expect(frames[22_000..<(19_000 + silence)].allSatisfy { abs($0) < 0.001 })
    }
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
