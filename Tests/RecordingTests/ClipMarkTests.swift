import TestKit
import Testing

@testable import Recording

/// The mark of voice messages that were at a service.
@Suite struct ClipMarkTests {
  private func clip() throws -> Clip {
    let writer = try ClipWriter(sampleRate: 48_000, vendor: "test")
    try writer.write((0..<48_000).map { Float($0 % 100) / 200 }, sampleRate: 48_000)
    return try writer.finish()
  }

  @Test func `the mark stands in the file, and the sound is as it was`() throws {
    let file = try clip().file
    #expect(!ClipMark.isMirrored(file))
    let marked = try #require(ClipMark.mirrored(file))
    #expect(ClipMark.isMirrored(marked) && ClipMark.mirrored(marked) == marked)
    let (before, after) = (try OpusSound(file), try OpusSound(marked))
    #expect(after?.tags == [ClipMark.comment] && before?.tags == [])
    #expect(after?.frames == before?.frames && after?.frames.count == 48_000)
  }

  @Test func `who decodes the file into another message keeps the mark`() throws {
    let file = try clip().file
    let marked = try #require(ClipMark.mirrored(file))
    #expect(!ClipMark.isMirrored(try ClipImport().clip(of: file, vendor: "other").file))
    let again = try ClipImport().clip(of: marked, vendor: "other")
    #expect(ClipMark.isMirrored(again.file))
    #expect(abs(again.milliseconds - 1000) <= 1)
  }

  @Test func `what others wrote is read or refused, whatever it is`() throws {
    for file in [[], Array("OggS".utf8), [UInt8](repeating: 0x4F, count: 5000)] {
      #expect(!ClipMark.isMirrored(file) && ClipMark.mirrored(file) == nil)
    }
    let file = try #require(ClipMark.mirrored(try clip().file))
    var random = SplitMix64(seed: 5)
    for _ in 0..<Seeds.rounds(20_000) {
      var bad = file
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bad[Int.random(in: 0..<120, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bad.removeLast(Int.random(in: 0..<bad.count, using: &random))
      }
      // A page whose checksum is wrong is none, so what is damaged has no mark.
      if ClipMark.isMirrored(bad) { #expect(bad.prefix(100) == file.prefix(100)) }
      _ = ClipMark.mirrored(bad)
    }
  }

  @Test func `comments that claim more than there is are none`() throws {
    let header = OpusHeader(
      channels: 1, preSkipFrames: 312, inputRate: 48_000, vendor: "v",
      comments: ["TITLE=x", ClipMark.comment, "ARTIST=y"])
    func file(_ tags: [UInt8]) throws -> [UInt8] {
      let stream = try #require(OggStream(serial: 7))
      var file: [UInt8] = []
      for packet in [header.identification, tags] {
        let isTaken = stream.add(packet.span, granule: 0, isLast: false)
        #expect(isTaken)
        file += try #require(stream.nextPage(isFlushing: true))
      }
      return file
    }
    #expect(ClipMark.isMirrored(try file(header.tags)))
    for place in [8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20] {
      var tags = header.tags
      tags[place] = 0xFF
      _ = ClipMark.mirrored(try file(tags))
      #expect(!ClipMark.isMirrored(try file(tags)), "\(place)")
    }
    for count in 0..<header.tags.count {
      let cut = try file(Array(header.tags.prefix(count)))
      #expect(ClipMark.mirrored(cut) == nil && !ClipMark.isMirrored(cut), "\(count)")
    }
    // Padding behind the comments stays there.
    var other = header
    other.comments = ["TITLE=x"]
    let padded = try #require(ClipMark.mirrored(try file(other.tags + [0, 1, 2])))
    #expect(ClipMark.isMirrored(padded) && padded.suffix(3) == [0, 1, 2])
  }
}
