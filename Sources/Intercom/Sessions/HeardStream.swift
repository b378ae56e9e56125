import Audio
import Lines
import Media
import Mesh
import RTP
import Voice

/// One stream of a member on its way to the ear: decoded into a ring, which the mix takes.
///
/// Loop thread only.
final class HeardStream {
  /// Of a guest's frames, which TCP brings all, some of them a round trip late: half of what may be made up.
  private static let guestLateShare = 0.0005
  /// Late packets that the member is told of before its report's time: what it sends may be more than the way takes.
  private static let tellingLatePackets = 3

  /// Which of the member's streams it is; 0 is the one for all its members.
  let number: Int
  let ssrc: SSRC
  /// What is spoken into.
  let source: StreamSourceName
  /// What is spoken into, beside the member's name; empty: the stream for all its members.
  let label: String
  /// Whether it is the member's microphone, for all or for some, and no further input.
  var isMicrophone: Bool { source.number == StreamSourceName.microphone.number }
  /// Whether it is for some alone: it is the ear's, and on no bus that others hear.
  private(set) var isPrivate = false
  /// The audience, where that is a private line.
  private(set) var privateLine: Audience?
  /// Whether it is the programme, which dims nothing and gives way to all.
  var isProgram: Bool { !isMicrophone && !source.isGuest && source.name == "program" }
  /// Whether lines say how loud it is: those of the stream for all members, of guests, and of inputs that name them.
  func isForLines(_ lines: LineSet?) -> Bool {
    if number == 0 || source.isGuest { return true }
    return lines != nil && !isMicrophone && !isPrivate
  }

  /// How loud it is on each bus with a port, as a factor.
  var busGains = BusDesk.Gains(repeating: 0)
  /// Its place in the mix.
  let slot: PeerSlot
  let stream: PeerStream
  let sink: PlayoutSink
  private(set) var quality = QualityMeter()
  /// The lines that its packets are for; nil: its whole audience.
  private(set) var lines: LineSet?
  /// How loud the line is heard, as a factor; 0: not at all.
  private(set) var lineGain: Float = 1
  /// Where the line is heard, −1 (left) … 1 (right).
  private(set) var linePan: Float = 0
  /// The places of the lines that it is heard on, a bit each.
  private(set) var places: UInt64 = 0
  /// The priority of the line.
  private(set) var priority = EarSettings.usualPriority
  /// What it is louder by than it was said, as talkers are brought to like loudness, dB.
  private(set) var levelDecibels = 0.0
  private(set) var receivedBitsPerSecond = 0
  /// Payload octets at the last look.
  private var rateOctets = 0
  /// Packets that had come too late at the last report.
  private var toldLatePackets = 0

  /// A member's stream.
  convenience init(
    _ keys: ReceivingKeys, in slot: PeerSlot, of engine: AudioEngine, playedBy stream: PeerStream
  ) {
    self.init(
      keys.number, SSRC(rawValue: keys.ssrc), keys.source, label: Self.label(of: keys), in: slot,
      of: engine, playedBy: stream)
    isPrivate = keys.audience != .everyone
    let audience = Audience(octets: keys.audience.octets)
    privateLine = audience.isPrivateLine ? audience : nil
  }

  /// A stream of a member, or of a guest of this node.
  init(
    _ number: Int, _ ssrc: SSRC, _ source: StreamSourceName, label: String = "", in slot: PeerSlot,
    of engine: AudioEngine, playedBy stream: PeerStream
  ) {
    (self.number, self.ssrc, self.source, self.label) = (number, ssrc, source, label)
    self.slot = slot
    self.stream = stream
    // A voice has one channel: of more there is the mean, and no work.
    stream.takesSide = source.number != StreamSourceName.microphone.number && !source.isGuest
    if source.isGuest { stream.expectHoldUps(lateShare: Self.guestLateShare) }
    sink = PlayoutSink(engine: engine, slot: slot)
  }

  /// Takes whom its packets are for, how loud that is heard, and what gives way to it.
  func take(_ lines: LineSet?, gain: Float, pan: Float = 0, priority: Int, places: UInt64) {
    (self.lines, lineGain, linePan, self.priority) = (lines, gain, pan, priority)
    self.places = places
  }

  /// Whether its talker's level is being learned.
  var isLevelled: Bool { sink.level != nil }

  /// Learns how loud its talker is, at a rate of JACK, or no more.
  ///
  /// Allocates where it begins.
  ///
  /// - Returns: whether its gain is another than before.
  func followLevel(isWanted: Bool, sampleRate: Int) -> Bool {
    let isLearning = isWanted && isMicrophone
    if !isLearning {
      sink.level = nil
    } else if sink.level?.sampleRate != sampleRate {
      sink.level = TalkerLevel(sampleRate: sampleRate, decibels: levelDecibels)
    }
    let wanted = isLearning ? sink.level?.decibels ?? 0 : 0
    guard abs(wanted - levelDecibels) >= Self.levelStep || wanted == 0 && levelDecibels != 0 else {
      return false
    }
    levelDecibels = wanted
    return true
  }

  /// Smaller changes are not heard.
  private static let levelStep = 0.2

  /// What it is called beside the member's others: the one for all as the member itself, a guest by its own name.
  func title(of name: String) -> String {
    if source.isGuest && number != 0 { return "\(label) (\(name))" }
    return label.isEmpty ? name : "\(name) \(label)"
  }

  private static func label(of keys: ReceivingKeys) -> String {
    guard keys.number != 0 else { return "" }
    guard !keys.source.name.isEmpty else { return "stream \(keys.number)" }
    let name = PeerName.sanitized(keys.source.name)
    return keys.audience == .everyone ? name : "\(name) \(keys.number)"
  }

  /// Whether more packets come too late than before the last report.
  var isNewlyLate: Bool {
    stream.lateCount - toldLatePackets >= Self.tellingLatePackets
  }

  /// What the next report says of losses.
  func takeLossReport() -> LossReport? {
    toldLatePackets = stream.lateCount
    return stream.takeLossReport()
  }

  /// Takes the rate and the quality of the time since the last look.
  func measure(elapsedNanoseconds elapsed: Int64, roundTrip: RoundTripTime?) {
    let octets = stream.statistics.receivedOctets
    receivedBitsPerSecond = Int(Double(octets - rateOctets) * 8e9 / Double(max(elapsed, 1)))
    rateOctets = octets
    quality.observe(stream.statistics, roundTrip: roundTrip)
  }
}
