public import RTP

/// Makes RTP packets from the codec frames of one microphone.
///
/// States: talking, quiet (only with DTX). Events: a codec frame, with or without voice
/// (`VoiceActivity`). Talking sends every frame. The first quiet frame is sent as a payload of one
/// byte, the table of contents alone, and so is one every 400 ms: that tells receivers a pause from
/// a loss, as Opus' own DTX does at the same interval (RFC 7587 §3.1.3, RFC 6716 §3.1); the
/// low-delay modes of Opus have none that helps. The first packet of a talk spurt carries the
/// marker (RFC 3551 §4.1). Time stamps count all frames, sequence numbers only what is sent.
/// While quiet the encoder is left alone: its memory then fits that of decoders, which are, too.
///
/// Each frame is coded once, and a second time at a low rate while copies at that rate are wanted; of it
/// as many packets are written as there are recipes among the receivers, all with the same header but
/// for the payload type. (Encryption must not use one key for packets that differ under one number:
/// each recipe needs a key or an SSRC of its own then.)
///
/// Packets may become longer or shorter, and the codec's speech mode take over, between two frames. The two modes have
/// encoders of their own, of which one starts anew then; the decoder cross-fades.
///
/// Loop thread only; allocates only in `init`.
public final class Talker {
  /// 400 ms between keep-alives.
  static let keepAliveFrames = 19_200
  /// The shortest `packet` that `encode` accepts: a header and one payload byte.
  public static let minimumPacketBytes = RTPHeader.maximumByteCount + 1
  /// The longest packet that carries copies.
  public static let maximumPacketBytes = RTPHeader.maximumByteCount + SentFrames.payloadCapacity

  private let configuration: TalkerConfiguration
  private let encoders: TalkerEncoders
  private var encoder: any FrameEncoder
  private var leanEncoder: (any FrameEncoder)?
  private var tableOfContents: UInt8
  private var voice = VoiceActivity()
  private var sent = SentFrames()
  private var current = SentFrames.Entry()
  private var sequenceNumber: SequenceNumber
  private var resentSequenceNumber: SequenceNumber
  private var startsTalkSpurt = true
  private var framesSinceKeepAlive = keepAliveFrames

  /// Whether frames are coded at the low rate too, as some recipe in use needs it.
  public var codesLean = false
  /// Totals since the talker was made.
  public private(set) var counters = TalkerCounters()
  /// Media time of the next frame to be encoded.
  public private(set) var currentTimestamp: RTPTimestamp
  /// Whether the last frame was voice or within the hang-over after it.
  public var isTalking: Bool { voice.isTalking }

  /// Frames that the next `encode` takes.
  public private(set) var framesPerPacket: Int
  private var isSpeech = false

  /// Makes a talker of one encoder, or two.
  ///
  /// - Parameter leanEncoder: codes at the low rate; without it copies have the full one.
  public convenience init(
    configuration: TalkerConfiguration, encoder: any FrameEncoder,
    leanEncoder: (any FrameEncoder)? = nil
  ) {
    self.init(
      configuration: configuration, encoders: TalkerEncoders(full: encoder, lean: leanEncoder))
  }

  /// Makes a talker; `framesPerPacket` must be a supported one.
  public init(configuration: TalkerConfiguration, encoders: TalkerEncoders) {
    precondition(
      TalkerConfiguration.supportedFramesPerPacket.contains(configuration.framesPerPacket))
    self.configuration = configuration
    self.encoders = encoders
    encoder = encoders.full
    leanEncoder = encoders.lean
    framesPerPacket = configuration.framesPerPacket
    tableOfContents = Self.tableOfContents(frames: configuration.framesPerPacket)
    sequenceNumber = configuration.firstSequenceNumber
    resentSequenceNumber = configuration.firstSequenceNumber.advanced(by: 0x5555)
    currentTimestamp = configuration.firstTimestamp
  }

  /// Changes the coding from the next frame on; `framesPerPacket` must be a supported one.
  ///
  /// Without encoders for the speech mode `isSpeech` does nothing.
  public func aim(_ coding: VoiceCoding) {
    precondition(TalkerConfiguration.supportedFramesPerPacket.contains(coding.framesPerPacket))
    framesPerPacket = coding.framesPerPacket
    tableOfContents = Self.tableOfContents(frames: framesPerPacket)
    let isSpeech = coding.isSpeech && encoders.speech != nil
    if isSpeech != self.isSpeech {
      self.isSpeech = isSpeech
      encoder = isSpeech ? encoders.speech ?? encoders.full : encoders.full
      leanEncoder = isSpeech ? encoders.leanSpeech : encoders.lean
      encoder.reset()
      leanEncoder?.reset()
    }
    encoder.aim(bitsPerSecond: coding.bitsPerSecond)
    encoder.expect(lossPercent: coding.expectedLossPercent)
    leanEncoder?.aim(bitsPerSecond: coding.leanBitsPerSecond)
  }

  /// Encodes the next codec frame and writes its packet without copies.
  ///
  /// - Parameters:
  ///   - pcm: exactly ``framesPerPacket`` frames, mono, 48 kHz, full scale 1.0.
  ///   - packet: at least `minimumPacketBytes`.
  /// - Returns: bytes of the RTP packet, or 0 when nothing is to be sent.
  public func encode(_ pcm: Span<Float>, into packet: inout MutableRawSpan) -> Int {
    precondition(packet.byteCount >= Self.minimumPacketBytes)
    return encode(pcm) ? write(.plain, into: &packet) : 0
  }

  /// Encodes the next codec frame: exactly `framesPerPacket` frames, mono, 48 kHz, full scale 1.0.
  ///
  /// - Returns: false when nothing is to be sent: DTX keeps quiet, or the encoder failed (counted).
  public func encode(_ pcm: Span<Float>) -> Bool {
    precondition(pcm.count == framesPerPacket)
    let meanSquare = Loudness.meanSquare(pcm)
    voice.observe(meanSquare: meanSquare, frames: pcm.count)
    defer { currentTimestamp = currentTimestamp.advanced(by: pcm.count) }
    current = SentFrames.Entry()
    current.frames = pcm.count
    current.level = AudioLevel(
      levelDBov: Int(Loudness.decibels(meanSquare: meanSquare).rounded()),
      hasVoiceActivity: voice.isTalking)
    if configuration.usesDTX && !voice.isTalking { return keepQuiet(frames: pcm.count) }
    framesSinceKeepAlive = Self.keepAliveFrames
    return talk(pcm)
  }

  /// Advances time over codec frames known to be silent, without coding or sending.
  public func pass(frames: Int) {
    currentTimestamp = currentTimestamp.advanced(by: frames)
    framesSinceKeepAlive += frames
    counters.suppressedFrames += frames / framesPerPacket
    startsTalkSpurt = true
  }

  /// Writes the packet of the frame encoded last, as a recipe wants it.
  ///
  /// What does not fit is left out: copies first, the farther before the nearer.
  /// - Returns: its bytes; 0 when `packet` is too short, or there is no such frame.
  public func write(_ recipe: RepairRecipe, into packet: inout MutableRawSpan) -> Int {
    guard current.isUsed else { return 0 }
    let coding = current.leanBytes > 0 ? recipe.primary : .full
    let header = header(
      of: current,
      payloadType: recipe.copyCount > 0
        ? configuration.redundantPayloadType : configuration.payloadType)
    guard recipe.copyCount > 0 else {
      guard packet.byteCount >= header.byteCount + current.payloadBytes(coding) else { return 0 }
      let headerBytes = header.write(into: &packet)
      return headerBytes + sent.write(current, coding, at: headerBytes, into: &packet)
    }
    return writeRedundant(recipe, coding, header, into: &packet)
  }

  /// Payload octets in a packet of so many bytes of the frame encoded last.
  public func payloadOctets(ofPacketBytes packetBytes: Int) -> Int {
    max(0, packetBytes - header(of: current, payloadType: 0).byteCount)
  }

  /// Whether RTX of a packet is possible: for one second, since nobody waits longer and old speech must not leak.
  public func remembers(_ wanted: SequenceNumber) -> Bool {
    guard let entry = sent[wanted] else { return false }
    return entry.timestamp.distance(to: currentTimestamp) <= MediaClock.framesPerSecond
  }

  /// Writes an RTX packet of one sent before (RFC 4588 §4).
  ///
  /// - Returns: its bytes; 0 when it is not remembered or `packet` is too short.
  public func writeResent(_ wanted: SequenceNumber, into packet: inout MutableRawSpan) -> Int {
    guard remembers(wanted), let entry = sent[wanted] else { return 0 }
    var header = header(of: entry, payloadType: configuration.resentPayloadType)
    header.ssrc = RTXPayload.ssrc(beside: configuration.ssrc)
    header.sequenceNumber = resentSequenceNumber
    let start = header.byteCount + RTXPayload.headerBytes
    guard packet.byteCount >= start + entry.fullBytes else { return 0 }
    _ = header.write(into: &packet)
    RTXPayload.write(wanted, at: header.byteCount, into: &packet)
    resentSequenceNumber = resentSequenceNumber.advanced(by: 1)
    counters.resentPackets += 1
    return start + sent.write(entry, .full, at: start, into: &packet)
  }

  private func writeRedundant(
    _ recipe: RepairRecipe, _ coding: RepairRecipe.Coding, _ header: RTPHeader,
    into packet: inout MutableRawSpan
  ) -> Int {
    let primaryBytes = RedundantPayload.primaryHeaderBytes + current.payloadBytes(coding)
    var room = min(packet.byteCount, Self.maximumPacketBytes) - header.byteCount - primaryBytes
    guard room >= 0 else { return 0 }
    let near = copy(recipe.nearDistance, recipe.copies, &room)
    let far = copy(recipe.farDistance, recipe.copies, &room)
    var offset = header.write(into: &packet)
    // The oldest first, as receivers without a buffer want it (RFC 2198 §4).
    if let far { offset += writeCopyHeader(far, at: offset, into: &packet) }
    if let near { offset += writeCopyHeader(near, at: offset, into: &packet) }
    RedundantPayload.writePrimaryHeader(
      payloadType: configuration.payloadType, at: offset, into: &packet)
    offset += RedundantPayload.primaryHeaderBytes
    if let far { offset += sent.write(far.entry, far.coding, at: offset, into: &packet) }
    if let near { offset += sent.write(near.entry, near.coding, at: offset, into: &packet) }
    return offset + sent.write(current, coding, at: offset, into: &packet)
  }

  private typealias Copy = (entry: SentFrames.Entry, coding: RepairRecipe.Coding)

  private func writeCopyHeader(
    _ copy: Copy, at offset: Int, into packet: inout MutableRawSpan
  ) -> Int {
    RedundantPayload.writeCopyHeader(
      payloadType: configuration.payloadType,
      timestampOffset: copy.entry.timestamp.distance(to: current.timestamp),
      payloadBytes: copy.entry.payloadBytes(copy.coding), at: offset, into: &packet)
    return RedundantPayload.copyHeaderBytes
  }

  /// A copy as wanted if there is one and room for it; where the low rate was not coded, the full one.
  private func copy(
    _ distance: Int, _ coding: RepairRecipe.Coding, _ room: inout Int
  ) -> Copy? {
    let wanted = sent.copy(distance, before: current, coding).map { (entry: $0, coding: coding) }
    let full = sent.copy(distance, before: current, .full)
    guard let copy = wanted ?? full.map({ (entry: $0, coding: .full) }) else { return nil }
    let bytes = RedundantPayload.copyHeaderBytes + copy.entry.payloadBytes(copy.coding)
    guard bytes <= room else { return nil }
    room -= bytes
    return copy
  }

  private func talk(_ pcm: Span<Float>) -> Bool {
    let bytes = sent.code(sequenceNumber, .full) { encoder.encode(pcm, into: &$0) }
    guard bytes > 0 else {
      if bytes < 0 { counters.encoderErrors += 1 } else { counters.suppressedFrames += 1 }
      return false
    }
    if codesLean, let leanEncoder {
      current.leanBytes = max(
        0, sent.code(sequenceNumber, .lean) { leanEncoder.encode(pcm, into: &$0) })
    }
    finish(marker: startsTalkSpurt, payloadBytes: bytes)
    startsTalkSpurt = false
    return true
  }

  private func keepQuiet(frames: Int) -> Bool {
    startsTalkSpurt = true
    guard framesSinceKeepAlive >= Self.keepAliveFrames else {
      framesSinceKeepAlive += frames
      counters.suppressedFrames += 1
      return false
    }
    framesSinceKeepAlive = frames
    let tableOfContents = tableOfContents
    _ = sent.code(sequenceNumber, .full) { payload in
      payload.storeBytes(of: tableOfContents, as: UInt8.self)
      return 1
    }
    finish(marker: false, payloadBytes: 1)
    return true
  }

  private func finish(marker: Bool, payloadBytes: Int) {
    current.isUsed = true
    current.marker = marker
    current.fullBytes = payloadBytes
    current.sequenceNumber = sequenceNumber
    current.timestamp = currentTimestamp
    sent.add(current)
    sequenceNumber = sequenceNumber.advanced(by: 1)
    counters.packets += 1
    counters.payloadOctets += payloadBytes
  }

  private func header(of entry: SentFrames.Entry, payloadType: UInt8) -> RTPHeader {
    RTPHeader(
      marker: entry.marker, payloadType: payloadType, sequenceNumber: entry.sequenceNumber,
      timestamp: entry.timestamp, ssrc: configuration.ssrc, audioLevel: entry.level)
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
