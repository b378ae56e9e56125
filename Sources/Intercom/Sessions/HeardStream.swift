import Audio
import Media
import RTP

/// One stream of a member on its way to the ear: decoded into a ring, which the mix takes.
///
/// Loop thread only.
final class HeardStream {
  /// Late packets that the member is told of before its report's time: what it sends may be more than the way takes.
  private static let tellingLatePackets = 3

  /// Which of the member's streams it is; 0 is the one for all its members.
  let number: Int
  let ssrc: SSRC
  /// Its place in the mix.
  let slot: PeerSlot
  let stream: PeerStream
  let sink: PlayoutSink
  private(set) var quality = QualityMeter()
  /// The lines that its packets are for; nil: its whole audience.
  private(set) var lines: LineSet?
  /// How loud the line is heard, as a factor; 0: not at all.
  private(set) var lineGain: Float = 1
  private(set) var receivedBitsPerSecond = 0
  /// Payload octets at the last look.
  private var rateOctets = 0
  /// Packets that had come too late at the last report.
  private var toldLatePackets = 0

  init(
    _ keys: ReceivingKeys, in slot: PeerSlot, of engine: AudioEngine, playedBy stream: PeerStream
  ) {
    (number, ssrc) = (keys.number, SSRC(rawValue: keys.ssrc))
    self.slot = slot
    self.stream = stream
    sink = PlayoutSink(engine: engine, slot: slot)
  }

  /// Takes whom its packets are for, and how loud that is heard.
  func take(_ lines: LineSet?, gain: Float) { (self.lines, lineGain) = (lines, gain) }

  /// What it is called beside the member's others: the one for all as the member itself.
  func title(of name: String) -> String { number == 0 ? name : "\(name) stream \(number)" }

  /// Whether more packets come too late than before the last report.
  var isNewlyLate: Bool {
    stream.statistics.late - toldLatePackets >= Self.tellingLatePackets
  }

  /// What the next report says of losses.
  func takeLossReport() -> LossReport? {
    toldLatePackets = stream.statistics.late
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
