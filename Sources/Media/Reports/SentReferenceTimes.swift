public import RTP

/// The reference times sent recently, which prove an echo and give the round trip.
///
/// Only moments of our own steady clock are subtracted, so no wall clock matters, neither ours
/// nor the remote's.
struct SentReferenceTimes {
  /// The result of a genuine echo.
  struct Proof {
    /// Nil when the remote's own delay cannot be true.
    var roundTripNanoseconds: Int64?
  }

  /// An echo older than this proves nothing any more.
  static let maximumAgeNanoseconds: Int64 = 10_000_000_000
  /// The remote's clock may run this much faster than ours between two reports: 500 ppm of 2 s.
  private static let toleranceNanoseconds: Int64 = 1_000_000

  private struct Entry {
    var middleBits: UInt32
    var sentNanoseconds: Int64
  }

  private static let capacity = 16
  private var entries = InlineArray<16, Entry?>(repeating: nil)
  private var next = 0

  mutating func note(_ time: NTPTimestamp, sentNanoseconds: Int64) {
    entries[next] = Entry(middleBits: time.middleBits, sentNanoseconds: sentNanoseconds)
    next = (next + 1) % Self.capacity
  }

  /// Judges the echo of `middleBits` that arrived now after the remote held it for `delay` (in
  /// 1/65536 s).
  ///
  /// Nil: never sent, or too long ago. 0 means "none yet" on the wire.
  func proof(echoing middleBits: UInt32, delay: UInt32, nowNanoseconds: Int64) -> Proof? {
    guard middleBits != 0 else { return nil }
    for index in entries.indices {
      guard let entry = entries[index], entry.middleBits == middleBits else { continue }
      let age = nowNanoseconds - entry.sentNanoseconds
      guard age >= 0, age <= Self.maximumAgeNanoseconds else { continue }
      let roundTrip = age - NTPTimestamp.nanoseconds(shortUnits: delay)
      guard roundTrip >= -Self.toleranceNanoseconds else { return Proof() }
      return Proof(roundTripNanoseconds: max(0, roundTrip))
    }
    return nil
  }
}

/// Counters of our stream to this remote for sender reports.
public struct SenderCounters: Hashable, Sendable {
  /// RTP packets sent since the stream began.
  public var packets: Int
  /// Octets of their payloads.
  public var payloadOctets: Int
  /// The stream's media time at the moment the report is made.
  public var currentTimestamp: RTPTimestamp

  /// Makes the counters from their values.
  public init(packets: Int, payloadOctets: Int, currentTimestamp: RTPTimestamp) {
    self.packets = packets
    self.payloadOctets = payloadOctets
    self.currentTimestamp = currentTimestamp
  }
}
