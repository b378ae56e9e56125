/// The events of a remote's RTCP compound.
public struct ReportEvents: OptionSet, Hashable, Sendable {
  /// The bits; meaningful only through the members below.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The first compound of a remote, or of one that had said BYE.
  public static let firstHeard = ReportEvents(rawValue: 1 << 0)
  /// The remote proved that it receives what we send to its address.
  public static let confirmed = ReportEvents(rawValue: 1 << 1)
  /// The remote leaves.
  public static let bye = ReportEvents(rawValue: 1 << 2)
  /// The remote's NAME is another than before.
  public static let nameChanged = ReportEvents(rawValue: 1 << 3)
  /// Another SSRC or CNAME took the remote's place; all that was known of it is forgotten.
  public static let restarted = ReportEvents(rawValue: 1 << 4)
  /// The compound carried our own SSRC as its sender: a collision or a loop (RFC 3550 §8.2).
  ///
  /// Nothing else in it was believed.
  public static let ownSSRCSeen = ReportEvents(rawValue: 1 << 5)
  /// With `ownSSRCSeen`: the CNAME was ours too, so the address leads back to this node.
  public static let ourselves = ReportEvents(rawValue: 1 << 6)
  /// The remote reported the reception of our packets, one by one.
  public static let lossesTold = ReportEvents(rawValue: 1 << 7)
}

/// How the remote receives our stream, by its last report block on us (RFC 3550 §6.4.1).
///
/// The remote's word: bounded by its field widths, otherwise unproved.
public struct RemoteReception: Hashable, Sendable {
  /// Share of our packets lost between its last two reports, in 1/256.
  public let fractionLost: UInt8
  /// Our packets lost since its reception began; negative when duplicates outnumber losses.
  public let cumulativeLost: Int
  /// Interarrival jitter.
  public let jitterNanoseconds: Int64
}

/// The round trip to the remote, without the time that it held the report
/// (RFC 3550 §6.4.1).
public struct RoundTripTime: Hashable, Sendable {
  /// The newest measurement.
  public private(set) var lastNanoseconds: Int64
  /// All measurements, each new one with the weight 1/8 (the constant of RFC 6298 §2).
  public private(set) var smoothedNanoseconds: Int64

  /// How many there were.
  public private(set) var measurementCount = 1

  init(firstNanoseconds: Int64) {
    lastNanoseconds = firstNanoseconds
    smoothedNanoseconds = firstNanoseconds
  }

  mutating func add(nanoseconds: Int64) {
    lastNanoseconds = nanoseconds
    measurementCount += 1
    smoothedNanoseconds += (nanoseconds - smoothedNanoseconds) / 8
  }
}
