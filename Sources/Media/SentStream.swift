import RTP

/// One stream of a talker: an SSRC with sequence numbers of its own, the packets that it has sent, and whether its
/// audience is spoken to.
///
/// States: talking, quiet. Events: a frame of the source, with voice or without. The first packet of a talk spurt
/// carries the marker (RFC 3551 §4.1). The first quiet frame is sent as a notice of one octet, the table of contents
/// alone, and so is one each 400 ms (``Talker``). An audience that is not spoken to gets notices too, whatever the
/// source says, and no level that would tell.
struct SentStream {
  /// 400 ms between keep-alives.
  private static let keepAliveFrames = 19_200
  private static let slotCount = SentFrames.slotCount

  /// One packet that was sent, without its payload.
  struct Packet {
    var isUsed = false
    var sequenceNumber = SequenceNumber(rawValue: 0)
    var timestamp = RTPTimestamp(rawValue: 0)
    var frames = 0
    var marker = false
    var level = AudioLevel(levelDBov: -127, hasVoiceActivity: false)
    /// nil: its whole audience.
    var lines: LineSet?
    /// How many right before it went to all that it goes to.
    var run = 0
    /// The coded frame that it carries; nil: a notice.
    var frame: Int?

    /// Whom it goes to; nil: the whole audience.
    var goesTo: LineSet? {
      guard frame != nil, let lines, !lines.contains(line: 0) else { return nil }
      return lines
    }
  }

  /// A frame of the source.
  struct Moment {
    let timestamp: RTPTimestamp
    let frames: Int
    let level: AudioLevel
    /// The coded frame; nil: nothing is to be said.
    let frame: Int?
  }

  let ssrc: SSRC
  /// The lines that its next packets with sound are for; nil: its whole audience, as all on line 0 are.
  private(set) var lines: LineSet?
  /// How many packets right before the next one went to its whole audience, and to those on ``lines``.
  private var (wholeRun, aimedRun) = (AudienceRun.longest + 1, AudienceRun.longest + 1)
  /// Whether its audience is spoken to.
  var isSpeaking = true
  /// The packet of the source's last frame; nil: none was due.
  private(set) var current: Packet?
  private var packets = [Packet](repeating: Packet(), count: slotCount)
  private var sequenceNumber: SequenceNumber
  private var resentSequenceNumber: SequenceNumber
  private var startsTalkSpurt = true
  private var framesSinceKeepAlive = keepAliveFrames

  /// A stream that begins; its RTX stream begins far off.
  init(ssrc: SSRC, firstSequenceNumber: SequenceNumber) {
    self.ssrc = ssrc
    sequenceNumber = firstSequenceNumber
    resentSequenceNumber = firstSequenceNumber.advanced(by: 0x5555)
  }

  /// The packet sent under a sequence number, if it is remembered.
  subscript(sequenceNumber: SequenceNumber) -> Packet? {
    let packet = packets[Self.slot(sequenceNumber)]
    return packet.isUsed && packet.sequenceNumber == sequenceNumber ? packet : nil
  }

  /// Sends what has sound to these lines from the next frame on; nil: to the whole audience.
  mutating func aim(at next: LineSet?) {
    guard next != lines else { return }
    let wasWhole = isAtWhole
    lines = next
    guard !isAtWhole else { return }
    aimedRun = wasWhole ? wholeRun : 0
    // In-band FEC of what was said to others before is for nobody.
    startsTalkSpurt = true
  }

  /// Others are on ``lines`` than before.
  mutating func breakRun() { aimedRun = 0 }

  private var isAtWhole: Bool { lines?.contains(line: 0) ?? true }

  /// Takes the source's next frame; whether a packet is due.
  mutating func advance(_ moment: Moment) -> Bool {
    current = nil
    guard let frame = moment.frame, isSpeaking else { return keepQuiet(moment) }
    framesSinceKeepAlive = Self.keepAliveFrames
    send(moment, frame: frame, level: moment.level)
    startsTalkSpurt = false
    return true
  }

  /// Time goes on over frames that are neither coded nor sent.
  mutating func pass(frames: Int) {
    current = nil
    framesSinceKeepAlive += frames
    startsTalkSpurt = true
  }

  /// A frame was to be coded, and could not be.
  mutating func miss() { current = nil }

  /// The packet `distance` before the current one, if it carries a coded frame that ended where the frames between
  /// begin, and can be told in a block header.
  func copy(_ distance: Int) -> Packet? {
    guard let current else { return nil }
    let offset = distance * current.frames
    guard distance > 0, offset <= RedundantPayload.greatestTimestampOffset,
      distance <= current.run,
      let copied = self[current.sequenceNumber.advanced(by: -distance)],
      copied.frames == current.frames, copied.timestamp.distance(to: current.timestamp) == offset,
      copied.frame != nil
    else { return nil }
    return copied
  }

  /// The header of a packet.
  func header(of packet: Packet, payloadType: UInt8) -> RTPHeader {
    RTPHeader(
      marker: packet.marker, payloadType: payloadType, sequenceNumber: packet.sequenceNumber,
      timestamp: packet.timestamp, ssrc: ssrc, audioLevel: packet.level, lines: packet.lines,
      run: packet.run > AudienceRun.longest ? nil : UInt8(packet.run))
  }

  /// The header of what those get in place of the current packet whom it is not for.
  func noticeHeader(of packet: Packet, payloadType: UInt8) -> RTPHeader {
    var header = header(of: packet, payloadType: payloadType)
    header.marker = false
    header.audioLevel = AudioLevel(levelDBov: -127, hasVoiceActivity: false)
    header.run = 0
    return header
  }

  /// The header of the next packet of its RTX stream.
  func resentHeader(of packet: Packet, payloadType: UInt8) -> RTPHeader {
    var header = header(of: packet, payloadType: payloadType)
    header.ssrc = RTXPayload.ssrc(beside: ssrc)
    header.sequenceNumber = resentSequenceNumber
    header.run = nil
    return header
  }

  /// Such a packet was written.
  mutating func didResend() { resentSequenceNumber = resentSequenceNumber.advanced(by: 1) }

  private mutating func keepQuiet(_ moment: Moment) -> Bool {
    startsTalkSpurt = true
    guard framesSinceKeepAlive >= Self.keepAliveFrames else {
      framesSinceKeepAlive += moment.frames
      return false
    }
    framesSinceKeepAlive = moment.frames
    let silence = AudioLevel(levelDBov: -127, hasVoiceActivity: false)
    send(moment, frame: nil, level: isSpeaking ? moment.level : silence)
    return true
  }

  private mutating func send(_ moment: Moment, frame: Int?, level: AudioLevel) {
    let isWhole = frame == nil || isAtWhole
    let packet = Packet(
      isUsed: true, sequenceNumber: sequenceNumber, timestamp: moment.timestamp,
      frames: moment.frames, marker: frame != nil && startsTalkSpurt, level: level, lines: lines,
      run: isWhole ? wholeRun : aimedRun, frame: frame)
    wholeRun = isWhole ? min(wholeRun + 1, AudienceRun.longest + 1) : 0
    aimedRun = min(aimedRun + 1, AudienceRun.longest + 1)
    packets[Self.slot(sequenceNumber)] = packet
    current = packet
    sequenceNumber = sequenceNumber.advanced(by: 1)
  }

  private static func slot(_ sequenceNumber: SequenceNumber) -> Int {
    Int(sequenceNumber.rawValue) & (slotCount - 1)
  }
}
