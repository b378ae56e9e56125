/// Rates a stream over the last seconds by its counters.
///
/// Fed once a second; a second has a weight of a quarter, so that a figure settles within five. In a pause nothing is
/// known to get lost, and what did is forgotten within half a minute;
/// who breaks off in the middle of sound is not heard at all.
public struct QualityMeter: Sendable {
  private static let weight = 0.25
  private static let pauseWeight = 0.1
  /// Fewer packets, as in a pause, give no figure.
  private static let leastPackets = 5

  private var before = PeerStreamStatistics()
  private var reading = ConnectionQuality.Reading()
  private var hasRead = false

  /// Nothing is known yet.
  public init() {}

  /// Quality of the peer; nil before it was heard.
  public var quality: ConnectionQuality? { hasRead ? ConnectionQuality(reading) : nil }

  /// Adds the present counters.
  public mutating func observe(_ now: PeerStreamStatistics, roundTrip: RoundTripTime?) {
    defer { before = now }
    let missed = now.lost + now.late - before.lost - before.late
    let packets = now.played - before.played + missed
    reading.isInterrupted = hasRead && now.isTalking && now.received == before.received
    guard packets >= Self.leastPackets else {
      if !reading.isInterrupted { age() }
      return
    }
    let weight = hasRead ? Self.weight : 1
    hasRead = true
    let smooth = { (value: inout Double, count: Int) in
      let share = max(0, min(1, Double(count) / Double(packets)))
      value += weight * (share - value)
    }
    let resent = now.repairedByResending - before.repairedByResending
    let recovered = now.recovered - before.recovered
    let late = now.late - before.late
    let repaired = now.repaired - now.overtaken - before.repaired + before.overtaken
    smooth(&reading.unheardShare, missed)
    smooth(&reading.lateShare, late)
    smooth(&reading.lostShare, now.lost - before.lost + repaired)
    smooth(&reading.resentShare, resent)
    smooth(&reading.recoveredShare, recovered)
    smooth(&reading.copiedShare, now.repaired - before.repaired - resent - recovered)
    reading.burstPackets = now.burstPackets
    reading.playoutMilliseconds = Double(now.playoutDelayNanoseconds) / 1e6
    reading.roundTripMilliseconds = roundTrip.map { Double($0.smoothedNanoseconds) / 1e6 }
    reading.codedBitsPerSecond = now.codedBitsPerSecond
    reading.isSpeech = now.isSpeechCoded
    reading.framesPerPacket = now.packetFrames
  }

  private mutating func age() {
    let left = 1 - Self.pauseWeight
    reading.unheardShare *= left
    reading.lateShare *= left
    reading.lostShare *= left
    reading.resentShare *= left
    reading.copiedShare *= left
    reading.recoveredShare *= left
  }
}
