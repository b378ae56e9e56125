/// The two packets that an Ogg Opus stream begins with (RFC 7845 §5).
struct OpusHeader: Equatable {
  private static let version: UInt8 = 1
  /// One stream, mono or stereo.
  private static let mappingFamily: UInt8 = 0

  var channels: Int
  /// Frames at 48 kHz that a player leaves out at the beginning: the encoder's look-ahead.
  var preSkipFrames: Int
  /// What was recorded, in hertz; for people only.
  var inputRate: Int
  /// Who wrote it.
  var vendor: String
  /// Such as `TITLE=anna`.
  var comments: [String]

  /// `OpusHead` (RFC 7845 §5.1).
  var identification: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(tag: "OpusHead")
    bytes.append(Self.version)
    bytes.append(UInt8(clamping: channels))
    bytes.append(UInt16(clamping: preSkipFrames))
    bytes.append(UInt32(clamping: inputRate))
    bytes.append(UInt16(0))
    bytes.append(Self.mappingFamily)
    return bytes
  }

  /// `OpusTags` (RFC 7845 §5.2).
  var tags: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(tag: "OpusTags")
    for text in [vendor] {
      bytes.append(UInt32(clamping: text.utf8.count))
      bytes.append(tag: text)
    }
    bytes.append(UInt32(clamping: comments.count))
    for comment in comments {
      bytes.append(UInt32(clamping: comment.utf8.count))
      bytes.append(tag: comment)
    }
    return bytes
  }
}
