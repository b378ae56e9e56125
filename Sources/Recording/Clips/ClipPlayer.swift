internal import Audio

/// Plays a voice message: decodes it from any place on, at another speed without another pitch, at any rate.
///
/// One thread at a time. The file is from another node, and may be anything: the answer is sound, silence or an error.
public final class ClipPlayer {
  /// How fast it can be played.
  public static let speedRange = 0.75...2.0
  private static let packetFrames = 960
  /// What a decoder needs to hear before it sounds right.
  private static let prerollFrames = 3840

  /// How long it sounds, seconds.
  public let seconds: Double
  /// As it was recorded: 1.
  public private(set) var speed = 1.0
  private let packets: [[UInt8]]
  /// Where each packet begins, in frames; one more than there are packets.
  private let starts: [Int]
  private let preSkip: Int
  private let decoder: OpusDecoder
  private var stretch = TimeStretch(speed: 1)
  private let rate: Int
  private var converter: RateConverter
  private var next = 0
  /// Decoded frames that are not to be heard.
  private var skipping = 0
  private var isOver = false
  /// Where what is handed out next stands in the message, in frames.
  private var position = 0.0
  private var room = [Float](repeating: 0, count: OpusDecoder.maximumPacketFrames)

  /// Takes an Ogg Opus file.
  ///
  /// - Parameter sampleRate: of what it hands out, hertz.
  public init(_ file: [UInt8], sampleRate: Int) throws(ClipError) {
    var reader = OggReader(file)
    let all = reader.packets()
    guard all.count > 2, all[0].starts(with: "OpusHead".utf8), all[0].count >= 19,
      // Mono or stereo in one stream (RFC 7845 §5.1.1.1): libopus mixes it to one.
      all[0][18] == 0
    else { throw .damaged(kind: "Ogg Opus") }
    packets = Array(all.dropFirst(2))
    preSkip = Int(all[0][10]) | Int(all[0][11]) << 8
    var starts = [0]
    for packet in packets { starts.append(starts[starts.count - 1] + Self.frames(of: packet)) }
    self.starts = starts
    let most = ClipLimits.seconds * ClipLimits.sampleRate + preSkip
    let end = Int(clamping: min(reader.lastGranule, Int64(min(starts[starts.count - 1], most))))
    guard end > preSkip else { throw .empty }
    seconds = Double(end - preSkip) / Double(ClipLimits.sampleRate)
    rate = sampleRate
    do throws(AudioError) {
      decoder = try OpusDecoder()
      converter = try RateConverter(
        channels: 1, sampleRate: ClipLimits.sampleRate, fileRate: sampleRate)
    } catch {
      throw .audio(words: "\(error)")
    }
    try seek(to: 0)
  }

  /// Frames at 48 kHz of a packet, by its first octets (RFC 6716 §3.1, §3.2.5); 0: it is malformed.
  static func frames(of packet: [UInt8]) -> Int {
    guard let first = packet.first else { return 0 }
    let configuration = Int(first >> 3)
    let each =
      configuration < 12
      ? [480, 960, 1920, 2880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : 120 << (configuration & 3)
    let count = first & 3 == 0 ? 1 : first & 3 < 3 ? 2 : packet.count > 1 ? Int(packet[1] & 63) : 0
    return each * count <= OpusDecoder.maximumPacketFrames ? each * count : 0
  }

  /// Where what is handed out next stands in the message, seconds.
  public var elapsedSeconds: Double {
    min(seconds, position / Double(ClipLimits.sampleRate))
  }

  /// Goes on from another place, which is brought within the message.
  public func seek(to place: Double) throws(ClipError) {
    let wanted = place.isFinite ? min(max(0, place), seconds) : 0
    let target = Int(wanted * Double(ClipLimits.sampleRate))
    let frame = target + preSkip
    let early = max(0, frame - Self.prerollFrames)
    next = max(0, (starts.firstIndex { $0 > early } ?? packets.count) - 1)
    skipping = frame - starts[next]
    position = Double(target)
    isOver = false
    decoder.reset()
    try begin()
  }

  /// Plays at another speed from here on, within ``speedRange``.
  public func setSpeed(_ speed: Double) throws(ClipError) {
    self.speed = min(max(speed, Self.speedRange.lowerBound), Self.speedRange.upperBound)
    try seek(to: elapsedSeconds)
  }

  private func begin() throws(ClipError) {
    stretch = TimeStretch(speed: speed)
    do throws(AudioError) {
      converter = try RateConverter(
        channels: 1, sampleRate: ClipLimits.sampleRate, fileRate: rate)
    } catch {
      throw .audio(words: "\(error)")
    }
  }

  /// Sound to be heard next, some 20 ms; nil: it is over.
  public func read() -> [Float]? {
    guard !isOver else { return nil }
    var result: [Float] = []
    while result.isEmpty, !isOver {
      var stretched: [Float] = []
      if let pcm = decode() {
        stretch.add(pcm, onto: &stretched)
      } else {
        stretch.finish(onto: &stretched)
        isOver = true
      }
      position += Double(stretched.count) * speed
      converter.convert(stretched.span, onto: &result)
      if isOver { converter.finish(onto: &result) }
    }
    return result.isEmpty ? nil : result
  }

  /// The next decoded frames that are to be heard; nil: there are none.
  private func decode() -> [Float]? {
    let end = Int(seconds * Double(ClipLimits.sampleRate)) + preSkip
    while next < packets.count, starts[next] < end {
      let (packet, start) = (packets[next], starts[next])
      let count = starts[next + 1] - start
      next += 1
      guard count > 0 else { continue }
      var pcm = decoded(packet, frames: count)
      if start + count > end { pcm.removeLast(min(pcm.count, start + count - end)) }
      let skipped = min(skipping, pcm.count)
      skipping -= skipped
      if skipped < pcm.count { return Array(pcm[skipped...]) }
    }
    return nil
  }

  /// A packet that cannot be decoded is silence.
  private func decoded(_ packet: [UInt8], frames: Int) -> [Float] {
    var span = room.mutableSpan
    let count = unsafe decoder.decode(packet.span.bytes, into: &span)
    guard count == frames else { return [Float](repeating: 0, count: frames) }
    return room[..<frames].map { $0.isFinite ? $0 : 0 }
  }
}
