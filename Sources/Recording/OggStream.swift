internal import COgg

/// Packets into Ogg pages (RFC 3533), by libogg; one logical stream.
@safe final class OggStream {
  private let handle: OpaquePointer
  private var page = [UInt8](repeating: 0, count: Int(COGG_MAX_PAGE_BYTES))

  /// A stream of that serial number; nil: no memory.
  init?(serial: UInt32) {
    guard let handle = unsafe cogg_stream_create(Int32(bitPattern: serial)) else { return nil }
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe cogg_stream_destroy(handle)
  }

  /// Takes a packet; false: no memory.
  ///
  /// - Parameter granule: the position at the packet's end.
  func add(_ packet: Span<UInt8>, granule: Int64, isLast: Bool) -> Bool {
    unsafe packet.withUnsafeBufferPointer { packet in
      unsafe cogg_packet_in(
        handle, packet.baseAddress, Int32(clamping: packet.count), granule, isLast) == 0
    }
  }

  /// The next page; nil: there is none, or, unless `isFlushing`, none that is full.
  func nextPage(isFlushing: Bool) -> [UInt8]? {
    let byteCount = unsafe page.withUnsafeMutableBufferPointer { page in
      unsafe cogg_page_out(handle, isFlushing, page.baseAddress)
    }
    return byteCount > 0 ? Array(page.prefix(Int(byteCount))) : nil
  }
}

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
