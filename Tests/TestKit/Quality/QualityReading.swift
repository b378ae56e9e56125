public import StatusSchema

/// What one call over one bad network gave, besides what was heard.
public struct QualityReading: Codable, Sendable {
  /// Where in the recording each judged piece is if it took no time from port to port.
  public var expected: [Int]
  /// What the listener said of the talker, again and again; the first when judging began.
  public var statuses: [PeerStatus]
  /// IP packets that the talker sent meanwhile.
  public var packets: Int
  /// Their octets, IP headers included.
  public var octets: Int
  /// How long "meanwhile" was.
  public var seconds: Double
  /// Of both servers, as their clients were told.
  public var xruns: Int
  /// Sound made up that no drought of the link explains, in percent of what was spoken; nil: nobody knows.
  ///
  /// In virtual time of packets that were sent and held in none; on real JACK by ``QualityLook``.
  public var concealedOutsidePercent: Double?

  /// Makes a reading.
  public init(
    expected: [Int], statuses: [PeerStatus], packets: Int, octets: Int, seconds: Double, xruns: Int
  ) {
    self.expected = expected
    self.statuses = statuses
    self.packets = packets
    self.octets = octets
    self.seconds = seconds
    self.xruns = xruns
  }

  /// IPv4, UDP, RTP, the level's header extension (RFC 6464 §3), and SRTP's tag and key number.
  private static let headerOctets = 20 + 8 + 12 + 8 + 16 + 4

  /// IP packets, kbit/s.
  public var wireKilobits: Double { Double(octets) * 8 / 1000 / seconds }
  /// Without headers, kbit/s; reports count in.
  public var payloadKilobits: Double {
    Double(octets - packets * Self.headerOctets) * 8 / 1000 / seconds
  }

  /// How much a counter of packets grew, in percent of the packets that came or should have.
  ///
  /// However long they were: on a narrow way they become longer.
  public func share(_ counter: (PeerStatus) -> Int) -> Double {
    guard let first = statuses.first, let last = statuses.last else { return .nan }
    let packets = last.received + last.lost - first.received - first.lost
    return packets > 0 ? 100 * Double(counter(last) - counter(first)) / Double(packets) : .nan
  }
}
