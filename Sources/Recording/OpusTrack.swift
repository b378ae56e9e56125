internal import Audio

/// A track as Ogg Opus (RFC 7845).
///
/// Packets of 20 ms; a page a second at least, so that whatever was saved can be played. The granule position of a
/// packet is the number of frames at 48 kHz up to its end, look-ahead included; that of the last is where the sound
/// ends, and players leave out what the packet has beyond. So file and sound begin and end at the same frame.
final class OpusTrack: TrackWriter {
  static let codecRate = 48_000
  private static let packetFrames = 960
  private static let packetsPerPage = 50
  private static let mostPacketBytes = 1500
  /// Shorter silence is encoded as it is.
  private static let longSilenceFrames = 10 * packetFrames

  private let file: any TrackOutput
  private let stream: OggStream
  private let encoder: OpusEncoder
  private let channels: Int
  private let preSkipFrames: Int
  /// Frames that wait for a full packet, interleaved.
  private var pending: [Float] = []
  private var packet = [UInt8](repeating: 0, count: OpusTrack.mostPacketBytes)
  /// The newest packet, held back, as the last of the stream has to be marked.
  private var held: [UInt8]?
  private var packetCount = 0
  private var packetsOfPage = 0

  /// Bits per second that the encoder aims at.
  static func bitsPerSecond(channels: Int) -> Int { 64_000 * channels }

  /// Begins the file.
  ///
  /// - Parameters:
  ///   - inputRate: what JACK ran at, in hertz; for people only.
  ///   - serial: of the Ogg stream, another in each file of a take.
  ///   - comments: `TITLE=anna` and the like.
  ///   - bitsPerSecond: what the encoder aims at; nil: as a recording's does.
  init(
    _ file: any TrackOutput, channels: Int, inputRate: Int, serial: UInt32, vendor: String,
    comments: [String], bitsPerSecond: Int? = nil
  ) throws(RecordingError) {
    self.file = file
    self.channels = channels
    guard let stream = OggStream(serial: serial) else { throw .ogg(path: file.path) }
    self.stream = stream
    do throws(AudioError) {
      encoder = try OpusEncoder(
        application: .audio,
        bitrateBitsPerSecond: bitsPerSecond ?? Self.bitsPerSecond(channels: channels),
        channels: channels)
    } catch {
      throw .audio(error)
    }
    preSkipFrames = encoder.lookaheadFrames
    let header = OpusHeader(
      channels: channels, preSkipFrames: preSkipFrames, inputRate: inputRate, vendor: vendor,
      comments: comments)
    // Each on pages of its own (RFC 7845 §3).
    try add(header.identification.span, granule: 0, isLast: false)
    try writePages(isFlushing: true)
    try add(header.tags.span, granule: 0, isLast: false)
    try writePages(isFlushing: true)
  }

  var byteCount: Int { file.byteCount }

  /// A packet of silence has three bytes, and one in the page's header.
  func silenceByteCount(frames: Int) -> Int { frames / Self.packetFrames * 4 }

  /// Repeats one packet of silence: encoding hours of it would take a minute.
  ///
  /// First the packet under way is filled and what the encoder holds comes out; then the encoder begins anew.
  func writeSilence(frames: Int) throws(RecordingError) {
    guard frames > Self.longSilenceFrames else { return try writePlainSilence(frames: frames) }
    let leadFrames = 3 * Self.packetFrames - pending.count / channels
    try writePlainSilence(frames: leadFrames)
    try sendHeld(isLast: false)
    encoder.reset()
    let silence = [Float](repeating: 0, count: Self.packetFrames * channels)
    encode(silence.span)
    let silent = held
    held = nil
    encoder.reset()
    for _ in 0..<((frames - leadFrames) / Self.packetFrames) {
      try sendHeld(isLast: false)
      held = silent
      packetCount += 1
    }
    try writePlainSilence(frames: (frames - leadFrames) % Self.packetFrames)
  }

  func write(_ pcm: Span<Float>) throws(RecordingError) {
    for index in 0..<pcm.count { pending.append(pcm[index]) }
    try encodePending()
  }

  func save() throws(RecordingError) {
    try writePages(isFlushing: true)
    try file.sync()
  }

  func finish() throws(RecordingError) {
    let endFrames = preSkipFrames + packetCount * Self.packetFrames + pending.count / channels
    while packetCount * Self.packetFrames < endFrames {
      let missing = Self.packetFrames * channels - pending.count
      pending += [Float](repeating: 0, count: max(missing, 0))
      try encodePending()
    }
    try sendHeld(isLast: true, endFrames: endFrames)
    try writePages(isFlushing: true)
    try file.sync()
  }

  private func writePlainSilence(frames: Int) throws(RecordingError) {
    pending += [Float](repeating: 0, count: frames * channels)
    try encodePending()
  }

  private func encodePending() throws(RecordingError) {
    let samples = Self.packetFrames * channels
    var done = 0
    while pending.count - done >= samples {
      try sendHeld(isLast: false)
      encode(pending.span.extracting(done..<(done + samples)))
      packetCount += 1
      done += samples
    }
    pending.removeFirst(done)
  }

  /// Leaves the packet in `held`; an encoder that refuses leaves an empty one, which a player conceals.
  private func encode(_ pcm: Span<Float>) {
    var room = packet.mutableSpan
    var bytes = unsafe room.mutableBytes
    let byteCount = encoder.encode(pcm, into: &bytes)
    held = Array(packet.prefix(max(byteCount, 0)))
  }

  private func sendHeld(isLast: Bool, endFrames: Int? = nil) throws(RecordingError) {
    guard let held else { return }
    let granule = Int64(endFrames ?? packetCount * Self.packetFrames)
    try add(held.span, granule: granule, isLast: isLast)
    self.held = nil
    packetsOfPage += 1
    try writePages(isFlushing: packetsOfPage >= Self.packetsPerPage)
  }

  private func add(_ packet: Span<UInt8>, granule: Int64, isLast: Bool) throws(RecordingError) {
    guard stream.add(packet, granule: granule, isLast: isLast) else { throw .ogg(path: file.path) }
  }

  private func writePages(isFlushing: Bool) throws(RecordingError) {
    if isFlushing { packetsOfPage = 0 }
    while let page = stream.nextPage(isFlushing: isFlushing) { try file.append(page) }
  }
}
