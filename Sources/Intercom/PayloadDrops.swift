import Media

/// Packets whose header was right and whose sound could not be used, by reason.
struct PayloadDrops {
  private var malformed = 0
  private var oversized = 0
  private var unproven = 0
  private var undecodable = 0

  /// Adds what one peer's stream counted.
  mutating func add(_ statistics: PeerStreamStatistics) {
    malformed += statistics.discarded.malformed
    oversized += statistics.discarded.oversized
    unproven += statistics.discarded.unproven
    undecodable += statistics.decoderErrors
  }

  /// Reason and count, for display.
  var byReason: [String: Int] {
    [
      "malformed.opus": malformed, "oversized.opus": oversized, "undecodable": undecodable,
      "unprovenStream": unproven,
    ]
  }
}
