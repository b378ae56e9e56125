public import RTP

/// Receives and plays one peer's stream: jitter buffer, playout control, concealment.
///
/// Packets wait coded, and are decoded one codec frame at a time when the device needs sound; all
/// elasticity is in packets, none in PCM.
///
/// States: *pausing* (nothing waits), *waiting* (pausing, but a packet waits for its start),
/// *playing*, *closing* (the next render fades out, then pausing).
/// - pausing → waiting: a packet with sound comes. Notices ("nobody talks") are taken at once.
/// - waiting → playing: a render whose period holds the start, media time + target offset.
/// - playing → pausing, faded out: a notice's turn; or the next packet follows in sequence but not
///   in time (the talker paused, whose notice may be coming or not exist).
/// - playing → pausing and *filling*: nothing came for 100 ms, which is concealed meanwhile; now
///   comfort noise sounds, if any was learnt, until sound starts, somebody says that nobody talks,
///   or 3 s are over.
/// - playing, packet missing at its turn: decoded from the next one's in-band FEC (`PeerStream+Repair`), else
///   concealed. It is lost unless it comes later (late). A packet that comes while it is being concealed is still
///   played when playout control wants more delay anyway:
///   so a whole shift of the link is followed within a few packets.
/// - any → closing: another stream takes over. A source proves itself with two packets in a row;
///   the old one must have been silent for 200 ms (a DTX keep-alive may be 400 ms away, but a
///   stream that talks is never disturbed), or for 50 ms and two packets' durations when only
///   sequence and time stamps of the same SSRC jumped, or `expect(_:)` named it.
///
/// Its control loops, with their events and constants: delay (`PlayoutController`, `DelayNeed`, `DelayCorrection`,
/// `Splicer`), clocks (`ClockRecovery`, `RateConverter`), loss (`LossRepair`).
/// Whose packets are played: `StreamSource`.
/// Loop thread only; allocates only in `init`, and where a second channel begins. Nothing from outside traps.
public final class PeerStream {
  /// Longer payloads are discarded.
  public static let maximumPayloadBytes = PacketBuffer.payloadCapacity
  /// Most audio decoded for one render: 120 ms and a splice.
  static let maximumCodedFrames = OpusTOC.maximumFrameCount + Splicer.surplusFrames
  /// Most that `render` writes: the same at 192 kHz, and 1 % for clock drift.
  public static let maximumRenderFrames = 4 * maximumCodedFrames * 101 / 100

  var buffer: PacketBuffer
  var controller: PlayoutController
  var playback: Playback
  var converter: RateConverter
  var isClosing = false
  /// Whether concealment was played in place of the next packet.
  var isTurnedBack = false
  /// Media time of the packet being concealed, while `playback` has concealment.
  var inventedFrame: Int64 = 0
  /// Media time of the next frame to be rendered; while pausing, of the end of the last one.
  var nextFrame: Int64 = 0
  /// Playout minus media time at the last render.
  var offsetNanoseconds: Int64 = 0
  /// Assumed duration of a missing packet.
  var lastDurationFrames = Playback.concealmentUnitFrames
  /// So long before they must nearly all packets come: from the slack of those played,
  /// which counts more where it is less.
  public internal(set) var usualSlackNanoseconds: Int64 = 0
  var counts = PeerStreamStatistics()
  var repair: LossRepair
  /// Whether packets of two channels are heard in stereo; else as their mean.
  ///
  /// Set before the first packet; false again where there is no memory for it.
  public var takesSide = false
  private(set) var source = StreamSource()
  /// The time line of the stream under way.
  var timeline: StreamTimeline? { source.timeline }

  /// Whether `render` gives the talker's audio, or concealment for up to 100 ms.
  public internal(set) var isPlaying = false
  /// Whether comfort noise fills a long gap.
  var isFilling = false
  /// Whether `render` gives anything: an empty ring is an underrun now, and a pause otherwise.
  public var isSounding: Bool { isPlaying || isFilling }

  /// Duration of the packet played last, at 48 kHz.
  public var packetFrames: Int { lastDurationFrames }

  /// The fate of all packets so far.
  public var statistics: PeerStreamStatistics {
    var result = counts
    result.ssrc = timeline?.ssrc
    result.buffered = buffer.waitingCount
    result.packetFrames = lastDurationFrames
    result.driftPPM = controller.clocks.drift * 1e6
    result.isClockLocked = controller.clocks.isLocked
    result.isResampled = converter.isEngaged
    return result
  }

  /// Packets that came too late to be played, of all so far.
  public var lateCount: Int { counts.late }

  /// The device's beats, as far as known; to be set before each beat's renders.
  ///
  /// See `PlayoutGrid`.
  public var grid: PlayoutGrid? {
    get { controller.grid }
    set { controller.setGrid(newValue) }
  }

  /// Frames a second that `render` gives, nominally; another rate begins anew, as `reset()`.
  public var deviceRate: Int {
    get { controller.deviceRate }
    set {
      guard newValue != controller.deviceRate else { return }
      controller.deviceRate = newValue
      reset()
    }
  }

  /// Makes a stream that waits for its first packet; allocates all it will ever need (240 KB;
  /// 730 with delays up to 1 s), but what two channels take (300 KB), which the first packet of two does.
  public init(
    configuration: PeerStreamConfiguration, decoder: any FrameDecoder,
    resampler: any FrameResampler
  ) {
    buffer = PacketBuffer(
      playoutDelayMaximumNanoseconds: configuration.playoutDelayMaximumNanoseconds)
    controller = PlayoutController(configuration)
    repair = LossRepair(boundNanoseconds: configuration.repairDelayMaximumNanoseconds)
    playback = Playback(decoder: decoder)
    converter = RateConverter(resampler)
  }

  /// When a waiting stream begins to sound; nil: nothing waits, or it plays already.
  ///
  /// `render` is to be called before the beat whose period holds this moment.
  public var startNanoseconds: Int64? {
    guard !isPlaying, let first = buffer.first else { return nil }
    return MediaClock.nanoseconds(frames: first.startFrame) + controller.targetNanoseconds
  }

  /// Whether the next frame to be played is here, and nothing better can come for it.
  public var isNextComplete: Bool {
    guard isPlaying, !isClosing, let first = buffer.first, first.startFrame == nextFrame
    else { return false }
    return !first.isNotice && !first.isRepair
  }

  /// All its packets come, but some are held up: no more than that share of them are to be too late, over seconds.
  ///
  /// Before the first packet.
  public func expectHoldUps(lateShare: Double) { controller.expectHoldUps(lateShare: lateShare) }

  /// Announces the peer's SSRC, from RTCP or signalling: its packets take over without probation.
  public func expect(_ ssrc: SSRC) { source.expect(ssrc) }

  /// Takes a packet of this peer, in any order; copies the payload.
  ///
  /// - Parameters:
  ///   - packet: parsed from `bytes`, its payload type checked.
  ///   - bytes: the datagram.
  ///   - isForUs: else it says no more than that nobody talks to us.
  ///   - arrivalNanoseconds: when it came, CLOCK_MONOTONIC.
  public func receive(
    _ packet: RTPPacket, bytes: RawSpan, isForUs: Bool = true, arrivalNanoseconds: Int64
  ) {
    receive(
      packet.header, payload: bytes.extracting(packet.payload), isForUs: isForUs,
      arrivalNanoseconds: arrivalNanoseconds)
  }

  func receive(
    _ header: RTPHeader, payload: RawSpan, isForUs: Bool = true, arrivalNanoseconds: Int64
  ) {
    counts.received += 1
    counts.receivedOctets += payload.byteCount
    guard payload.byteCount <= Self.maximumPayloadBytes else {
      counts.discarded.oversized += 1
      return
    }
    guard let durationFrames = OpusTOC.frameCount(payload: payload) else {
      counts.discarded.malformed += 1
      return
    }
    guard let place = place(of: header, arrivalNanoseconds: arrivalNanoseconds) else {
      counts.discarded.unproven += 1
      return
    }
    if let run = header.run { excuse(before: place.sequence - Int64(run)) }
    // A payload of one octet is a notice.
    let said = isForUs ? payload : payload.extracting(first: 1)
    counts.isTalking = said.byteCount > 1
    if counts.isTalking {
      counts.isSpeechCoded = OpusTOC.isSpeech(payload: payload)
      countChannels(OpusTOC.isStereo(payload: payload) ? 2 : 1)
    }
    var entry = PacketBuffer.Entry(
      at: place, durationFrames: durationFrames, payloadBytes: said.byteCount,
      arrivalNanoseconds: arrivalNanoseconds)
    entry.recoverableFrames = isForUs ? Self.recoverableFrames(header, payload) : 0
    admit(entry, payload: said)
  }

  /// Packets may have one channel or two, each by itself: the sound follows, but what changes all the time is counted.
  private func countChannels(_ channels: Int) {
    if counts.channels != 0 && counts.channels != channels { counts.channelChanges += 1 }
    counts.channels = channels
  }

  /// Drops the stream and its waiting packets, without a fade; the statistics continue.
  public func reset() {
    flush()
    source.reset()
    isPlaying = false
    isFilling = false
    isClosing = false
    playback.open()
  }

  /// The packet's place in the stream that plays, or in the one that it makes take over.
  private func place(
    of header: RTPHeader, arrivalNanoseconds arrival: Int64
  ) -> StreamTimeline.Place? {
    switch source.standing(
      of: header, arrivalNanoseconds: arrival, packetFrames: lastDurationFrames)
    {
    case .continues(let place): place
    case .begins(let isProven, let ahead):
      begin(header, arrivalNanoseconds: arrival, isProven: isProven, ahead: ahead)
    case .unproven: nil
    }
  }

  /// What did not come before a packet was not for us.
  private func excuse(before end: Int64) {
    let first = max(repair.lastSequence + 1, buffer.nextSequence)
    guard timeline != nil, first < end else { return }
    buffer.excuse(first..<end)
    repair.excuse(first..<end)
  }

  private func begin(
    _ header: RTPHeader, arrivalNanoseconds: Int64, isProven: Bool, ahead: UInt64
  ) -> StreamTimeline.Place? {
    if timeline != nil { counts.restarts += 1 }
    flush()
    for step in 0..<32 where ahead & 1 << UInt64(step) != 0 {
      buffer.excuse(StreamTimeline.firstSequence + 1 + Int64(step))
    }
    isClosing = isSounding
    repair.begin(at: StreamTimeline.firstSequence, number: header.sequenceNumber)
    return source.begin(
      header, arrivalNanoseconds: arrivalNanoseconds, reach: buffer.slotCount, isProven: isProven)
  }

  private func flush() {
    counts.discarded.flushed += buffer.waitingCount
    buffer.reset(nextSequence: StreamTimeline.firstSequence)
    repair.restart()
    nextFrame = 0
    controller.restart()
    playback.resetDecoder()
  }
}
