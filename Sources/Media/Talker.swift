public import RTP

/// Makes one RTP packet of each codec frame of one microphone.
///
/// States: talking, quiet (only with DTX). Events: a codec frame, with or without voice
/// (`VoiceActivity`). Talking sends every frame. The first quiet frame is sent as a payload of one
/// byte, the table of contents alone, and so is one every 400 ms: that tells receivers a pause from
/// a loss, as Opus' own DTX does at the same interval (RFC 7587 §3.1.3, RFC 6716 §3.1); the
/// low-delay modes of Opus have none that helps. The first packet of a talk spurt carries the
/// marker (RFC 3551 §4.1). Time stamps count all frames, sequence numbers only what is sent.
/// While quiet the encoder is left alone: its memory then fits that of decoders, which are, too.
///
/// Loop thread only; allocates only in `init`.
public final class Talker {
  /// 400 ms between keep-alives.
  static let keepAliveFrames = 19_200
  /// The shortest `packet` that `encode` accepts: a header and one payload byte.
  public static let minimumPacketBytes = RTPHeader.maximumByteCount + 1

  private let configuration: TalkerConfiguration
  private let encoder: any FrameEncoder
  private let tableOfContents: UInt8
  private var voice = VoiceActivity()
  private var sequenceNumber: SequenceNumber
  private var startsTalkSpurt = true
  private var framesSinceKeepAlive = keepAliveFrames

  /// Totals since the talker was made.
  public private(set) var counters = TalkerCounters()
  /// Media time of the next frame to be encoded.
  public private(set) var currentTimestamp: RTPTimestamp
  /// Whether the last frame was voice or within the hang-over after it.
  public var isTalking: Bool { voice.isTalking }

  /// Makes a talker; `framesPerPacket` must be a supported one.
  public init(configuration: TalkerConfiguration, encoder: any FrameEncoder) {
    precondition(
      TalkerConfiguration.supportedFramesPerPacket.contains(configuration.framesPerPacket))
    self.configuration = configuration
    self.encoder = encoder
    tableOfContents = Self.tableOfContents(frames: configuration.framesPerPacket)
    sequenceNumber = configuration.firstSequenceNumber
    currentTimestamp = configuration.firstTimestamp
  }

  /// Encodes the next codec frame.
  ///
  /// - Parameters:
  ///   - pcm: exactly `framesPerPacket` frames, mono, 48 kHz, full scale 1.0.
  ///   - packet: at least `minimumPacketBytes`; its size bounds what the encoder may use.
  /// - Returns: bytes of the RTP packet, or 0 when nothing is to be sent: DTX keeps quiet, or the
  ///   encoder failed (counted).
  public func encode(_ pcm: Span<Float>, into packet: inout MutableRawSpan) -> Int {
    precondition(pcm.count == configuration.framesPerPacket)
    precondition(packet.byteCount >= Self.minimumPacketBytes)
    let meanSquare = Loudness.meanSquare(pcm)
    voice.observe(meanSquare: meanSquare, frames: pcm.count)
    defer { currentTimestamp = currentTimestamp.advanced(by: pcm.count) }
    let level = AudioLevel(
      levelDBov: Int(Loudness.decibels(meanSquare: meanSquare).rounded()),
      hasVoiceActivity: voice.isTalking)
    if configuration.usesDTX && !voice.isTalking {
      return keepQuiet(frames: pcm.count, level: level, into: &packet)
    }
    framesSinceKeepAlive = Self.keepAliveFrames
    return talk(pcm, level: level, into: &packet)
  }

  private func talk(
    _ pcm: Span<Float>, level: AudioLevel, into packet: inout MutableRawSpan
  ) -> Int {
    var payload = packet._mutatingExtracting(RTPHeader.maximumByteCount..<packet.byteCount)
    let payloadBytes = encoder.encode(pcm, into: &payload)
    guard payloadBytes > 0 else {
      if payloadBytes < 0 { counters.encoderErrors += 1 } else { counters.suppressedFrames += 1 }
      return 0
    }
    defer { startsTalkSpurt = false }
    return finish(marker: startsTalkSpurt, payloadBytes, level: level, into: &packet)
  }

  private func keepQuiet(
    frames: Int, level: AudioLevel, into packet: inout MutableRawSpan
  ) -> Int {
    startsTalkSpurt = true
    guard framesSinceKeepAlive >= Self.keepAliveFrames else {
      framesSinceKeepAlive += frames
      counters.suppressedFrames += 1
      return 0
    }
    framesSinceKeepAlive = frames
    packet.storeBytes(
      of: tableOfContents, toByteOffset: RTPHeader.maximumByteCount, as: UInt8.self)
    return finish(marker: false, 1, level: level, into: &packet)
  }

  private func finish(
    marker: Bool, _ payloadBytes: Int, level: AudioLevel, into packet: inout MutableRawSpan
  ) -> Int {
    let header = RTPHeader(
      marker: marker, payloadType: configuration.payloadType, sequenceNumber: sequenceNumber,
      timestamp: currentTimestamp, ssrc: configuration.ssrc, audioLevel: level)
    sequenceNumber = sequenceNumber.advanced(by: 1)
    counters.packets += 1
    counters.payloadOctets += payloadBytes
    return header.write(into: &packet) + payloadBytes
  }

  /// RFC 6716 §3.1, table 2, code 0, mono: full-band CELT where it has the duration, else
  /// wide-band SILK, which alone has 40 and 60 ms.
  private static func tableOfContents(frames: Int) -> UInt8 {
    switch frames {
    case 120: 28 << 3
    case 240: 29 << 3
    case 480: 30 << 3
    case 960: 31 << 3
    case 1920: 10 << 3
    default: 11 << 3
    }
  }
}
