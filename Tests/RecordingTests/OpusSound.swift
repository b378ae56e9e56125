import Audio

@testable import Recording

/// What a player makes of a mono Ogg Opus file (RFC 7845 §4): pre-skip left out, the end trimmed.
struct OpusSound {
  var preSkipFrames = 0
  var tags: [String] = []
  var frames: [Float] = []

  init?(_ bytes: [UInt8]) throws {
    guard let file = OggFile(bytes), file.packets.count > 2 else { return nil }
    let head = file.packets[0].bytes
    guard head.text(at: 0, 8) == "OpusHead", head[8] == 1 else { return nil }
    preSkipFrames = head.number(at: 10, 2)
    tags = Self.comments(file.packets[1].bytes)
    let decoder = try OpusDecoder()
    var pcm = [Float](repeating: 0, count: 5760)
    for packet in file.packets.dropFirst(2) {
      var room = pcm.mutableSpan
      let count = unsafe decoder.decode(packet.bytes.span.bytes, into: &room)
      guard count > 0 else { return nil }
      frames += pcm.prefix(count)
    }
    let end = file.isEnded ? file.packets[file.packets.count - 1].granule : frames.count
    frames = Array(frames[preSkipFrames..<end])
  }

  private static func comments(_ tags: [UInt8]) -> [String] {
    guard tags.text(at: 0, 8) == "OpusTags" else { return [] }
    var offset = 12 + tags.number(at: 8, 4)
    let count = tags.number(at: offset, 4)
    offset += 4
    return (0..<count).map { _ in
      let length = tags.number(at: offset, 4)
      defer { offset += 4 + length }
      return tags.text(at: offset + 4, length)
    }
  }
}
