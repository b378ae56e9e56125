/// The quality at which a peer is heard, as a figure and in words.
///
/// The figure goes from 0 (unintelligible) to 5 (perfect): the rating R of
/// `SpeechQuality` divided by 20. G.107 annex B calls R above 80 "satisfied", which is 4; 70, many dissatisfied
/// from there on down, is 3.5; 50, nearly all dissatisfied, is 2.5.
public struct ConnectionQuality: Hashable, Sendable {
  /// What was received of a peer over the last seconds.
  public struct Reading: Hashable, Sendable {
    /// Share of packets lost before repair.
    public var lostShare = 0.0
    /// Mean burst length of losses, packets.
    public var burstPackets = 1.0
    /// Share of frames concealed: lost or late, and not repaired.
    public var unheardShare = 0.0
    /// Share of packets that arrived too late.
    public var lateShare = 0.0
    /// Share of packets repaired by copies.
    public var copiedShare = 0.0
    /// Share of packets repaired by RTX.
    public var resentShare = 0.0
    /// Share of packets repaired by in-band FEC of the next ones.
    public var recoveredShare = 0.0
    /// Playout delay, milliseconds.
    public var playoutMilliseconds = 0.0
    /// Round trip, milliseconds; nil: not yet measured.
    public var roundTripMilliseconds: Double?
    /// Bit rate of its frames; 0: not known.
    public var codedBitsPerSecond = 0
    /// Whether the codec's speech mode codes them.
    public var isSpeech = false
    /// Whether packets stopped arriving.
    public var isInterrupted = false
    /// Frames in its packets, above 0.
    public var framesPerPacket = 480

    /// A reading without faults.
    public init() {}
  }

  /// 0...5.
  public let figure: Double
  private let reading: Reading

  /// Rates a reading.
  public init(_ reading: Reading) {
    self.reading = reading
    figure = reading.isInterrupted ? 0 : Self.rating(reading) / 20
  }

  /// The reason, in words, which are made when they are asked for: not on the media loop.
  public var reason: String {
    reading.isInterrupted ? "no packets arrive" : Self.words(reading)
  }

  /// From the device's period and the look-ahead on both sides, beside what is measured.
  private static let otherMilliseconds = 10.0

  private static func rating(_ reading: Reading) -> Double {
    let frames = max(reading.framesPerPacket, 1)
    let coding =
      reading.codedBitsPerSecond == 0
      ? 0
      : SpeechQuality.codingImpairment(
        bitsPerSecond: reading.codedBitsPerSecond, framesPerPacket: frames,
        isSpeech: reading.isSpeech)
    // Chance alone makes runs of 1 / (1 - p).
    let burstRatio = reading.burstPackets * (1 - min(reading.lostShare, 0.99))
    let loss = SpeechQuality.lossImpairment(
      share: reading.unheardShare, burstRatio: burstRatio, framesPerPacket: frames, coding: coding)
    let way =
      (reading.roundTripMilliseconds ?? 0) / 2 + reading.playoutMilliseconds
      + Double(frames) / 48 + otherMilliseconds
    return max(0, 100 - coding - loss - SpeechQuality.delayImpairment(milliseconds: way))
  }

  private static func words(_ reading: Reading) -> String {
    var parts = [loss(reading)]
    if reading.lateShare >= 0.005 { parts.append("\(percent(reading.lateShare)) late") }
    parts.append("playout \(Int(reading.playoutMilliseconds.rounded())) ms")
    if let roundTrip = reading.roundTripMilliseconds, roundTrip >= 150 {
      parts.append("round trip \(Int(roundTrip.rounded())) ms")
    }
    if (1..<20_000).contains(reading.codedBitsPerSecond) {
      parts.append("coded at \(reading.codedBitsPerSecond / 1000) kbit/s")
    }
    return parts.joined(separator: "; ")
  }

  private static func loss(_ reading: Reading) -> String {
    guard reading.lostShare >= 0.002 else {
      return reading.unheardShare >= 0.002
        ? "\(percent(reading.unheardShare)) concealed" : "no loss"
    }
    var text = "\(percent(reading.lostShare)) loss"
    if reading.burstPackets >= 1.5 {
      text += " in bursts of \(Int(reading.burstPackets.rounded()))"
    }
    let means = [
      (reading.copiedShare, "copies"), (reading.recoveredShare, "in-band FEC"),
      (reading.resentShare, "RTX"),
    ].filter { $0.0 > reading.lostShare / 10 }.map(\.1)
    let isHeard = reading.unheardShare < reading.lostShare / 10
    if means.isEmpty {
      text += ", not repaired"
    } else {
      text += isHeard ? ", repaired by " : ", partly repaired by "
      text += means.joined(separator: " and ")
    }
    if !isHeard && !means.isEmpty { text += ", \(percent(reading.unheardShare)) concealed" }
    return text
  }

  /// Whole percents from 3 on, tenths below.
  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return tenths >= 30 || tenths % 10 == 0
      ? "\((tenths + 5) / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
