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
  /// A report has blocks on 31 (RFC 3550 §6.4.1), and a datagram of 1200 octets reports of so many each way.
  public static let limit = 8
}
