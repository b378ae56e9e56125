/// What the page records, before it is a file: the page has no code for one.
///
/// Eight letters, then packets of Opus, each behind its length in 16 bits, or samples of 16 bits at 16 kHz; the lowest
/// octet first, one channel. Anybody may have made it.
enum PageRecording {
  static let packets = "OpusPack"
  static let samples = "PCM16kHz"
  private static let sampleRate: UInt32 = 16_000
  /// What libopus looks ahead by (RFC 7845 §4.2).
  private static let preSkipFrames = 312
  private static let packetsPerPage = 50

  /// The same as a file, Ogg Opus or WAV; nil: it is no such recording.
  static func file(of recording: [UInt8]) throws(ClipError) -> [UInt8]? {
    if recording.starts(with: samples.utf8) {
      return wav(recording.dropFirst(samples.utf8.count))
    }
    guard recording.starts(with: packets.utf8) else { return nil }
    return try ogg(recording.dropFirst(packets.utf8.count))
  }

  private static func wav(_ samples: ArraySlice<UInt8>) -> [UInt8] {
    let count = UInt32(clamping: samples.count & ~1)
    var file: [UInt8] = []
    file.append(tag: "RIFF")
    file.append(36 + count)
    file.append(tag: "WAVEfmt ")
    file.append(UInt32(16))
    // PCM, one channel.
    file.append(UInt16(1))
    file.append(UInt16(1))
    file.append(sampleRate)
    file.append(2 * sampleRate)
    file.append(UInt16(2))
    file.append(UInt16(16))
    file.append(tag: "data")
    file.append(count)
    return file + samples.prefix(Int(count))
  }

  private static func ogg(_ octets: ArraySlice<UInt8>) throws(ClipError) -> [UInt8] {
    guard let stream = OggStream(serial: .random(in: 0 ... .max)) else {
      throw .audio(words: "no memory for a file")
    }
    let header = OpusHeader(
      channels: 1, preSkipFrames: preSkipFrames, inputRate: ClipLimits.sampleRate, vendor: "",
      comments: [])
    var file: [UInt8] = []
    func add(_ packet: [UInt8], _ granule: Int, isLast: Bool, isFlushing: Bool) {
      _ = stream.add(packet.span, granule: Int64(granule), isLast: isLast)
      while let page = stream.nextPage(isFlushing: isFlushing) { file += page }
    }
    add(header.identification, 0, isLast: false, isFlushing: true)
    add(header.tags, 0, isLast: false, isFlushing: true)
    var (rest, granule, count) = (octets, 0, 0)
    while !rest.isEmpty {
      let length = rest.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
      let packet = Array(rest.dropFirst(2).prefix(length))
      let frames = ClipPlayer.frames(of: packet)
      guard length > 0, packet.count == length, frames > 0 else { throw .damaged(kind: "Opus") }
      granule += frames
      guard granule <= (ClipLimits.seconds + 1) * ClipLimits.sampleRate else { throw .tooLong }
      rest = rest.dropFirst(2 + length)
      count += 1
      add(packet, granule, isLast: rest.isEmpty, isFlushing: count % packetsPerPage == 0)
    }
    while let page = stream.nextPage(isFlushing: true) { file += page }
    guard count > 0 else { throw .empty }
    return file
  }
}
