import Media
import RTP

/// Octets of a datagram in these tests, with the faces of `PeerReports` that take spans.
struct ReportOctets: Hashable, Sendable {
  var octets: [UInt8]

  init(_ octets: [UInt8]) {
    self.octets = octets
  }

  /// Lets `body` write into `capacity` octets and keeps as many as it returns.
  init(capacity: Int = 1500, _ body: (inout MutableRawSpan) -> Int) {
    octets = [UInt8](repeating: 0xEE, count: capacity)
    let count = {
      var span = octets.mutableSpan
      var raw = unsafe span.mutableBytes
      return body(&raw)
    }()
    octets.removeLast(capacity - count)
  }

  var span: RawSpan {
    @_lifetime(borrow self)
    get { unsafe octets.span.bytes }
  }
}

extension PeerReports {
  func handle(
    _ datagram: ReportOctets, at nanoseconds: Int64
  ) throws(RTPParseError) -> ReportEvents {
    try handle(datagram.span, nowNanoseconds: nanoseconds)
  }

  func report(
    at nanoseconds: Int64, packets: Int = 0, timestamp: UInt32 = 0
  ) -> ReportOctets {
    ReportOctets { bytes in
      makeReport(
        sender: SenderCounters(
          packets: packets, payloadOctets: packets * 80,
          currentTimestamp: RTPTimestamp(rawValue: timestamp)),
        nowNanoseconds: nanoseconds, into: &bytes)
    }
  }

  func farewell() -> ReportOctets {
    ReportOctets { bytes in makeBye(into: &bytes) }
  }
}

/// A compound written by hand: a report of `ssrc` and what else it says.
func compound(
  from ssrc: UInt32, info: SenderInfo? = nil, block: ReportBlock? = nil,
  canonicalName: [UInt8] = Array("stranger".utf8), name: [UInt8] = [],
  referenceTime: NTPTimestamp? = nil, echo: ExtendedReport.Echo? = nil, isLeaving: Bool = false
) -> ReportOctets {
  ReportOctets { bytes in
    let source = SSRC(rawValue: ssrc)
    var writer = RTCPCompoundWriter()
    writer.report(from: source, info: info, block: block, into: &bytes)
    writer.sourceDescription(
      of: source, canonicalName: canonicalName.span, name: name.span, into: &bytes)
    writer.extendedReport(from: source, referenceTime: referenceTime, echo: echo, into: &bytes)
    if isLeaving { writer.bye(of: source, into: &bytes) }
    return writer.byteCount
  }
}

/// The reference time that `report` carries, as an echo has to name it.
func referenceTime(in report: ReportOctets) throws -> UInt32? {
  var middleBits: UInt32?
  try RTCPCompound.forEachPacket(in: report.span) { packet in
    switch packet {
    case .senderReport(_, let info, _): middleBits = info.ntp.middleBits
    case .extendedReport(let report): middleBits = report.referenceTime?.middleBits ?? middleBits
    default: break
    }
  }
  return middleBits
}
