public import RTP

/// Codes one source, such as a microphone, and makes the RTP packets of its streams.
///
/// A source is coded once however many audiences it speaks to. Each of these is a stream with an SSRC and sequence
/// numbers of its own (`SentStream`), all with the source's time stamps: the base stream, which is there as long as the
/// talker, and those that are opened beside it. A stream sends every frame while the source talks and its audience is
/// spoken to. Else it sends a payload of one octet, the table of contents alone, at once and each 400 ms: that tells
/// receivers a pause from a loss, as Opus' own DTX does at the same interval (RFC 7587 §3.1.3, RFC 6716 §3.1); the
/// low-delay modes of Opus have none that helps. Time stamps count all frames, sequence numbers only what is sent.
/// While quiet the encoder is left alone: its memory then fits that of decoders, which are, too.
///
/// Each frame is coded once, and a second time at a low rate while copies at that rate are wanted; of it as many
/// packets of a stream are written as there are recipes among its receivers, all with the same header but for the
/// payload type. (Encryption must not use one key for packets that differ under one number:
/// each recipe needs a key of its own then.)
///
/// Packets may become longer or shorter, and the codec's speech mode take over, between two frames. The two modes have
/// encoders of their own, of which one starts anew then; the decoder cross-fades.
///
/// Loop thread only; allocates only in `init` and when a stream is opened.
public final class Talker {
  /// The most streams of a talker, its base stream included.
  public static let streamLimit = ReportedStreams.limit
  /// The number of the base stream.
  public static let baseStream = 0
  /// The shortest `packet` that `encode` accepts: a header and one payload byte.
  public static let minimumPacketBytes = RTPHeader.maximumByteCount + 1
  /// The longest packet that carries copies.
  public static let maximumPacketBytes = RTPHeader.maximumByteCount + SentFrames.payloadCapacity

  private let configuration: TalkerConfiguration
  private let encoders: TalkerEncoders
  private var encoder: any FrameEncoder
  private var leanEncoder: (any FrameEncoder)?
  private var voice = VoiceActivity()
  private var sent = SentFrames()
  private var codedFrames = 0
  /// By number, which the caller chooses; nil: not open.
  private var streams = [SentStream?](repeating: nil, count: streamLimit)
  private var isSpeech = false

  /// Whether frames are coded at the low rate too, as some recipe in use needs it.
  public var codesLean = false
  /// Totals since the talker was made.
  public private(set) var counters = TalkerCounters()
  /// Media time of the next frame to be encoded, of all streams.
  public private(set) var currentTimestamp: RTPTimestamp
  /// Frames that were passed over, and can be taken back: since the end of the last frame that was sent, of all
  /// streams, or the beginning of a notice.
  public private(set) var quietFrames = 0
  /// Whether the last frame was voice or within the hang-over after it.
  public var isTalking: Bool { voice.isTalking }

  /// Frames that the next `encode` takes.
  public private(set) var framesPerPacket: Int

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

  /// Makes a talker, as a rule with its base stream; `framesPerPacket` must be a supported one.
  public init(configuration: TalkerConfiguration, encoders: TalkerEncoders) {
    precondition(
      TalkerConfiguration.supportedFramesPerPacket.contains(configuration.framesPerPacket))
    self.configuration = configuration
    self.encoders = encoders
    encoder = encoders.full
    leanEncoder = encoders.lean
    framesPerPacket = configuration.framesPerPacket
    currentTimestamp = configuration.firstTimestamp
    streams[Self.baseStream] = configuration.ssrc.map {
      SentStream(ssrc: $0, firstSequenceNumber: configuration.firstSequenceNumber)
    }
  }

  /// Changes the coding from the next frame on; `framesPerPacket` must be a supported one.
  ///
  /// Without encoders for the speech mode `isSpeech` does nothing.
  public func aim(_ coding: VoiceCoding) {
    precondition(TalkerConfiguration.supportedFramesPerPacket.contains(coding.framesPerPacket))
    framesPerPacket = coding.framesPerPacket
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

  /// Encodes the next codec frame and writes its packet of the base stream without copies.
  ///
  /// - Parameters:
  ///   - pcm: exactly ``framesPerPacket`` frames, as ``encode(_:)`` takes them.
  ///   - packet: at least `minimumPacketBytes`.
  /// - Returns: bytes of the RTP packet, or 0 when nothing is to be sent.
  public func encode(_ pcm: Span<Float>, into packet: inout MutableRawSpan) -> Int {
    precondition(packet.byteCount >= Self.minimumPacketBytes)
    return encode(pcm) ? write(.plain, into: &packet) : 0
  }

  /// Encodes the next codec frame: exactly `framesPerPacket` frames, 48 kHz, full scale 1.0; of two channels left and
  /// right by turns.
  ///
  /// - Parameter isTransmitting: whether a VOX lets the voice out, which decides then; nil: the level decides.
  /// - Returns: false when no stream has anything to send: DTX keeps quiet, or the encoder failed (counted).
  public func encode(_ pcm: Span<Float>, isTransmitting: Bool? = nil) -> Bool {
    let frames = framesPerPacket
    precondition(pcm.count == frames * configuration.channels)
    let meanSquare = Loudness.meanSquare(pcm)
    voice.observe(meanSquare: meanSquare, frames: frames, isOpen: isTransmitting)
    defer { currentTimestamp = currentTimestamp.advanced(by: frames) }
    let isSaying =
      (voice.isTalking || !configuration.usesDTX)
      && streams.contains { $0?.isSpeaking == true }
    let frame = isSaying ? code(pcm) : nil
    guard frame != nil || !isSaying else {
      quietFrames += frames
      for stream in streams.indices { streams[stream]?.miss() }
      return false
    }
    let level = AudioLevel(
      levelDBov: Int(Loudness.decibels(meanSquare: meanSquare).rounded()),
      hasVoiceActivity: voice.isTalking)
    let moment = SentStream.Moment(
      timestamp: currentTimestamp, frames: frames, level: level, frame: frame)
    return advance(moment)
  }

  /// Takes the next codec frame as somebody else coded it, ``framesPerPacket`` long; one octet or none: nobody talks.
  ///
  /// - Returns: false when no stream has anything to send, or the payload is too long (counted).
  public func relay(_ payload: RawSpan, level: AudioLevel) -> Bool {
    defer { currentTimestamp = currentTimestamp.advanced(by: framesPerPacket) }
    voice.observe(isLoud: payload.byteCount > 1, frames: framesPerPacket)
    let isSaying = payload.byteCount > 1 && streams.contains { $0?.isSpeaking == true }
    let frame = isSaying ? keep(payload) : nil
    guard frame != nil || !isSaying else {
      quietFrames += framesPerPacket
      for stream in streams.indices { streams[stream]?.miss() }
      return false
    }
    return advance(
      SentStream.Moment(
        timestamp: currentTimestamp, frames: framesPerPacket, level: level, frame: frame))
  }

  /// Keeps a frame that is coded; its number, or nil where it is too long.
  private func keep(_ payload: RawSpan) -> Int? {
    var entry = SentFrames.Entry()
    entry.number = codedFrames
    entry.fullBytes = sent.code(codedFrames, .full) { place in
      guard payload.byteCount <= place.byteCount else { return -1 }
      unsafe place.withUnsafeMutableBytes { place in
        unsafe payload.withUnsafeBytes { unsafe place.copyMemory(from: $0) }
      }
      return payload.byteCount
    }
    guard entry.fullBytes > 0 else {
      counters.encoderErrors += 1
      return nil
    }
    sent.add(entry)
    codedFrames += 1
    return entry.number
  }

  /// Advances time over codec frames known to be silent, without coding or sending.
  public func pass(frames: Int) {
    currentTimestamp = currentTimestamp.advanced(by: frames)
    quietFrames += frames
    for stream in streams.indices { streams[stream]?.pass(frames: frames) }
    counters.suppressedFrames += frames / framesPerPacket
  }

  /// Takes time back over frames of which nothing was sent, at most ``quietFrames``: they are encoded after all.
  public func turnBack(frames: Int) {
    precondition((0...quietFrames).contains(frames))
    currentTimestamp = currentTimestamp.advanced(by: -frames)
    quietFrames -= frames
    for stream in streams.indices { streams[stream]?.pass(frames: -frames) }
  }

  /// Writes a stream's packet of the frame encoded last, as a recipe wants it.
  ///
  /// What does not fit is left out: copies first, the farther before the nearer.
  /// - Returns: its bytes; 0 when `packet` is too short, or there is no such frame or stream.
  public func write(
    _ recipe: RepairRecipe, of number: Int = baseStream, into packet: inout MutableRawSpan
  ) -> Int {
    guard let stream = streams[number], let current = stream.current else { return 0 }
    let frame = current.frame.flatMap { sent[$0] }
    let coding = frame?.leanBytes ?? 0 > 0 ? recipe.primary : .full
    let header = stream.header(
      of: current,
      payloadType: recipe.copyCount > 0
        ? configuration.redundantPayloadType : configuration.payloadType)
    guard recipe.copyCount > 0 else {
      guard packet.byteCount >= header.byteCount + payloadBytes(frame, coding) else { return 0 }
      let headerBytes = header.write(into: &packet)
      return headerBytes + write(current, coding, at: headerBytes, into: &packet)
    }
    return writeRedundant(recipe, coding, header, current, of: stream, into: &packet)
  }

  /// Payload octets in a packet of so many bytes of a stream of the frame encoded last.
  public func payloadOctets(ofPacketBytes packetBytes: Int, of number: Int = baseStream) -> Int {
    guard let stream = streams[number], let current = stream.current else { return 0 }
    return max(0, packetBytes - stream.header(of: current, payloadType: 0).byteCount)
  }

  /// Whether RTX of a packet is possible: for one second, since nobody waits longer and old speech must not leak.
  public func remembers(_ wanted: SequenceNumber, of number: Int = baseStream) -> Bool {
    guard let packet = streams[number]?[wanted] else { return false }
    return packet.timestamp.distance(to: currentTimestamp) <= MediaClock.framesPerSecond
      && packet.frame.map { sent[$0] != nil } ?? true
  }

  /// Writes an RTX packet of one that a stream sent before (RFC 4588 §4).
  ///
  /// - Returns: its bytes; 0 when it is not remembered or `packet` is too short.
  public func writeResent(
    _ wanted: SequenceNumber, of number: Int = baseStream, into packet: inout MutableRawSpan
  ) -> Int {
    guard remembers(wanted, of: number), let stream = streams[number], let old = stream[wanted]
    else { return 0 }
    let header = stream.resentHeader(of: old, payloadType: configuration.resentPayloadType)
    let start = header.byteCount + RTXPayload.headerBytes
    let frame = old.frame.flatMap { sent[$0] }
    guard packet.byteCount >= start + payloadBytes(frame, .full) else { return 0 }
    _ = header.write(into: &packet)
    RTXPayload.write(wanted, at: header.byteCount, into: &packet)
    streams[number]?.didResend()
    counters.resentPackets += 1
    return start + write(old, .full, at: start, into: &packet)
  }

  /// Writes what those get in place of the packet of the frame encoded last whom that is not for: nobody talks to
  /// them, and what they did not get is not lost.
  ///
  /// It has the packet's number, so it needs a key of its own.
  /// - Returns: its bytes; 0 when `packet` is too short, or there is no such packet.
  public func writeNotice(of number: Int = baseStream, into packet: inout MutableRawSpan) -> Int {
    guard let stream = streams[number], let current = stream.current else { return 0 }
    let header = stream.noticeHeader(of: current, payloadType: configuration.payloadType)
    guard packet.byteCount > header.byteCount else { return 0 }
    let start = header.write(into: &packet)
    packet.storeBytes(
      of: Self.tableOfContents(frames: current.frames), toByteOffset: start, as: UInt8.self)
    return start + 1
  }

  private func writeRedundant(
    _ recipe: RepairRecipe, _ coding: RepairRecipe.Coding, _ header: RTPHeader,
    _ current: SentStream.Packet, of stream: SentStream, into packet: inout MutableRawSpan
  ) -> Int {
    let frame = current.frame.flatMap { sent[$0] }
    let primaryBytes = RedundantPayload.primaryHeaderBytes + payloadBytes(frame, coding)
    var room = min(packet.byteCount, Self.maximumPacketBytes) - header.byteCount - primaryBytes
    guard room >= 0 else { return 0 }
    let near = copy(recipe.nearDistance, recipe.copies, of: stream, &room)
    let far = copy(recipe.farDistance, recipe.copies, of: stream, &room)
    var offset = header.write(into: &packet)
    // The oldest first, as receivers without a buffer want it (RFC 2198 §4).
    if let far { offset += writeCopyHeader(far, current, at: offset, into: &packet) }
    if let near { offset += writeCopyHeader(near, current, at: offset, into: &packet) }
    RedundantPayload.writePrimaryHeader(
      payloadType: configuration.payloadType, at: offset, into: &packet)
    offset += RedundantPayload.primaryHeaderBytes
    if let far { offset += sent.write(far.frame, far.coding, at: offset, into: &packet) }
    if let near { offset += sent.write(near.frame, near.coding, at: offset, into: &packet) }
    return offset + write(current, coding, at: offset, into: &packet)
  }

  private typealias Copy = (
    packet: SentStream.Packet, frame: SentFrames.Entry, coding: RepairRecipe.Coding
  )

  private func writeCopyHeader(
    _ copy: Copy, _ current: SentStream.Packet, at offset: Int, into packet: inout MutableRawSpan
  ) -> Int {
    RedundantPayload.writeCopyHeader(
      payloadType: configuration.payloadType,
      timestampOffset: copy.packet.timestamp.distance(to: current.timestamp),
      payloadBytes: copy.frame.payloadBytes(copy.coding), at: offset, into: &packet)
    return RedundantPayload.copyHeaderBytes
  }

  /// A copy as wanted if there is one and room for it; where the low rate was not coded, the full one.
  private func copy(
    _ distance: Int, _ wanted: RepairRecipe.Coding, of stream: SentStream, _ room: inout Int
  ) -> Copy? {
    guard let packet = stream.copy(distance), let number = packet.frame, let frame = sent[number]
    else { return nil }
    let range = 1...RedundantPayload.greatestCopyBytes
    let coding = range.contains(frame.payloadBytes(wanted)) ? wanted : .full
    let payloadBytes = frame.payloadBytes(coding)
    let bytes = RedundantPayload.copyHeaderBytes + payloadBytes
    guard range.contains(payloadBytes), bytes <= room else { return nil }
    room -= bytes
    return (packet, frame, coding)
  }

  /// Codes a frame; its number, or nil where the encoder gives nothing.
  private func code(_ pcm: Span<Float>) -> Int? {
    var entry = SentFrames.Entry()
    entry.number = codedFrames
    entry.fullBytes = sent.code(codedFrames, .full) { encoder.encode(pcm, into: &$0) }
    guard entry.fullBytes > 0 else {
      if entry.fullBytes < 0 {
        counters.encoderErrors += 1
      } else {
        counters.suppressedFrames += 1
      }
      return nil
    }
    if codesLean, let leanEncoder {
      entry.leanBytes = max(
        0, sent.code(codedFrames, .lean) { leanEncoder.encode(pcm, into: &$0) })
    }
    sent.add(entry)
    codedFrames += 1
    return entry.number
  }

  /// Lets all streams take a frame of the source; whether any has a packet of it.
  private func advance(_ moment: SentStream.Moment) -> Bool {
    let payloadBytes = moment.frame.flatMap { sent[$0]?.fullBytes } ?? 1
    var isSending = false
    for number in streams.indices where streams[number]?.advance(moment) == true {
      isSending = true
      counters.packets += 1
      counters.payloadOctets += streams[number]?.current?.frame == nil ? 1 : payloadBytes
    }
    if !isSending { counters.suppressedFrames += 1 }
    // Of packets none begins when another does.
    let unheard = moment.frame == nil ? moment.frames - 1 : 0
    quietFrames = isSending ? unheard : quietFrames + moment.frames
    return isSending
  }

  /// Bytes of a frame's coding, or of a notice in place of a frame.
  private func payloadBytes(_ frame: SentFrames.Entry?, _ coding: RepairRecipe.Coding) -> Int {
    frame?.payloadBytes(coding) ?? 1
  }

  /// Writes a packet's payload, its frame or a notice; returns its bytes.
  private func write(
    _ packet: SentStream.Packet, _ coding: RepairRecipe.Coding, at offset: Int,
    into bytes: inout MutableRawSpan
  ) -> Int {
    guard let frame = packet.frame.flatMap({ sent[$0] }) else {
      bytes.storeBytes(
        of: Self.tableOfContents(frames: packet.frames), toByteOffset: offset, as: UInt8.self)
      return 1
    }
    return sent.write(frame, coding, at: offset, into: &bytes)
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

/// Streams beside the base stream.
extension Talker {
  /// Opens a stream under a number that is free, 0 ..< ``streamLimit``; false: it is not.
  ///
  /// Allocates.
  /// - Parameter firstSequenceNumber: should be random (RFC 3550 §5.1).
  public func open(
    _ number: Int, ssrc: SSRC, firstSequenceNumber: SequenceNumber
  ) -> Bool {
    guard streams.indices.contains(number), streams[number] == nil,
      !streams.contains(where: { $0?.ssrc == ssrc })
    else { return false }
    streams[number] = SentStream(ssrc: ssrc, firstSequenceNumber: firstSequenceNumber)
    return true
  }

  /// Ends a stream; the base stream stays.
  public func close(_ number: Int) {
    guard streams.indices.contains(number), number != Self.baseStream else { return }
    streams[number] = nil
  }

  /// Speaks to a stream's audience or not; the source goes on either way.
  public func speak(_ isSpeaking: Bool, to number: Int) {
    guard streams.indices.contains(number) else { return }
    streams[number]?.isSpeaking = isSpeaking
  }

  /// Whether a stream's audience is spoken to.
  public func isSpeaking(to number: Int) -> Bool {
    streams.indices.contains(number) && streams[number]?.isSpeaking == true
  }

  /// Says which lines of its audience a stream's next packets are for; nil, or with line 0: all.
  public func aim(_ number: Int, at lines: LineSet?) {
    guard streams.indices.contains(number) else { return }
    streams[number]?.aim(at: lines)
  }

  /// Others are on a stream's lines than before: what was sent to these before was not sent to all of them.
  public func breakRun(of number: Int) {
    guard streams.indices.contains(number) else { return }
    streams[number]?.breakRun()
  }

  /// The lines that a stream's next packets are for; nil: all.
  public func lines(of number: Int) -> LineSet? {
    streams.indices.contains(number) ? streams[number]?.lines : nil
  }

  /// Whom a stream's packet of the frame encoded last goes to; nil: its whole audience.
  public func audience(of number: Int) -> LineSet? { streams[number]?.current?.goesTo }

  /// The same of a packet that was sent before.
  public func audience(of wanted: SequenceNumber, in number: Int) -> LineSet? {
    streams[number]?[wanted]?.goesTo
  }

  /// Whether the frame encoded last has a packet of a stream.
  public func sends(_ number: Int) -> Bool { streams[number]?.current != nil }

  /// The number of a stream; nil: there is none of that SSRC.
  public func number(of ssrc: SSRC) -> Int? { streams.firstIndex { $0?.ssrc == ssrc } }
}
