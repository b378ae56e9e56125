import RTP

/// A stream of ours that a remote is sent: what was reported of it, and what the remote tells.
struct OwnStream {
  let ssrc: SSRC
  /// How the remote receives it; nil before it reported.
  var reception: RemoteReception?
  /// How the remote received its last packets, one by one.
  var pattern = LossPattern()
  private var packetsAtLastReport = 0
  private var packetsAtReportBefore = 0

  init(ssrc: SSRC) { self.ssrc = ssrc }

  /// What a sender report says; nil: no packet went out since the report before the last (RFC 3550 §6.4).
  ///
  /// To be asked once a report.
  mutating func senderInfo(
    _ counters: SenderCounters, at referenceTime: NTPTimestamp
  ) -> SenderInfo? {
    defer {
      packetsAtReportBefore = packetsAtLastReport
      packetsAtLastReport = counters.packets
    }
    guard counters.packets != packetsAtReportBefore else { return nil }
    return SenderInfo(
      ntp: referenceTime, rtpTimestamp: counters.currentTimestamp,
      packetCount: UInt32(truncatingIfNeeded: counters.packets),
      octetCount: UInt32(truncatingIfNeeded: counters.payloadOctets))
  }

  /// Forgets what the remote told.
  mutating func forgetRemote() { (reception, pattern) = (nil, LossPattern()) }
}

/// A stream of the remote's: how we receive it, and its last sender report.
struct HeardStream {
  let ssrc: SSRC
  var reception: ReceptionStatistics
  var lastSenderReport: ReceivedReference?

  init(ssrc: SSRC, clockRate: Int) {
    self.ssrc = ssrc
    reception = ReceptionStatistics(clockRate: clockRate)
  }

  /// A block on it once it brought media or said that it does (RFC 3550 §6.4.1).
  mutating func makeBlock(nowNanoseconds: Int64) -> ReportBlock? {
    guard reception.isValid || lastSenderReport != nil else { return nil }
    return reception.makeBlock(
      on: ssrc, lastSR: lastSenderReport?.middleBits ?? 0,
      delaySinceLastSR: lastSenderReport?.delay(nowNanoseconds: nowNanoseconds) ?? 0)
  }
}

/// A reference time of the remote's, and when it came.
struct ReceivedReference {
  var middleBits: UInt32
  var arrivalNanoseconds: Int64

  func delay(nowNanoseconds: Int64) -> UInt32 {
    NTPTimestamp.shortUnits(nanoseconds: nowNanoseconds - arrivalNanoseconds)
  }
}

/// The streams of ours that a remote is sent, and those of the remote's, beside each end's base stream.
///
/// The base stream is there as long as the session and names its end in reports; further ones come and go. Room for all
/// is there from the start.
public enum ReportedStreams {
  /// Most streams of one end, its base stream included.
  ///
  /// A report has blocks on 31 at most (RFC 3550 §6.4.1).
  public static let limit = 24
  /// Of how many a report tells each way, the base streams included.
  ///
  /// That is what a datagram of 1200 octets has room for; the others have their turn in the next ones.
  static let ofReport = 8
}

/// Of which streams the next report tells first.
struct ReportTurn {
  var losses = 0
  /// Of the remote's further streams.
  var blocks = 0
  /// Of our further streams.
  var senders = 0

  /// Goes round places from one on, once at most, while there is room.
  ///
  /// - Parameter tell: false: there was no room for that one.
  /// - Returns: where to begin the next time.
  static func go(from first: Int, round count: Int, _ tell: (Int) -> Bool) -> Int {
    guard count > 0 else { return 0 }
    let first = first % count
    for step in 0..<count {
      let place = (first + step) % count
      guard tell(place) else { return place }
    }
    return first
  }
}
