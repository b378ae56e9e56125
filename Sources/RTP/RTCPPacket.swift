/// One packet of an RTCP compound (RFC 3550 §6).
///
/// Lists and texts are read on demand from the bytes the packet was parsed in.
public enum RTCPPacket: Hashable, Sendable {
  /// SR: the report of a source that sent media, on its stream and its reception.
  case senderReport(ssrc: SSRC, info: SenderInfo, blocks: ReportBlocks)
  /// RR: the same of one that sent none.
  case receiverReport(ssrc: SSRC, blocks: ReportBlocks)
  /// SDES: names.
  case sourceDescription(SourceDescription)
  /// BYE: sources leave.
  case bye(Goodbye)
  /// XR: reference times and their echoes, losses in detail (RFC 3611).
  case extendedReport(ExtendedReport)
  /// RTPFB: NACKs (RFC 4585 §6.2.1).
  case genericNACK(GenericNACK)
  /// Any other type, with the offsets of what follows its header of four octets.
  case other(packetType: UInt8, body: Range<Int>)

  enum PacketType {
    static let senderReport: UInt8 = 200
    static let receiverReport: UInt8 = 201
    static let sourceDescription: UInt8 = 202
    static let bye: UInt8 = 203
    static let transportFeedback: UInt8 = 205
    static let payloadFeedback: UInt8 = 206
    static let extendedReport: UInt8 = 207
  }

  /// Reads the packet of type `packetType` whose header counts `count` and whose content, without
  /// header and padding, is `body`.
  init(packetType: UInt8, count: Int, body: Range<Int>, in bytes: RawSpan) throws(RTPParseError) {
    switch packetType {
    case PacketType.senderReport:
      let start = body.lowerBound + 4 + SenderInfo.byteCount
      guard start + count * ReportBlock.byteCount <= body.upperBound else { throw .report }
      self = .senderReport(
        ssrc: SSRC(rawValue: bytes.uint32(at: body.lowerBound)),
        info: SenderInfo(at: body.lowerBound + 4, in: bytes),
        blocks: ReportBlocks(count: count, start: start))
    case PacketType.receiverReport:
      let start = body.lowerBound + 4
      guard start + count * ReportBlock.byteCount <= body.upperBound else { throw .report }
      self = .receiverReport(
        ssrc: SSRC(rawValue: bytes.uint32(at: body.lowerBound)),
        blocks: ReportBlocks(count: count, start: start))
    case PacketType.sourceDescription:
      self = .sourceDescription(try SourceDescription(chunkCount: count, body: body, in: bytes))
    case PacketType.bye:
      self = .bye(try Goodbye(sourceCount: count, body: body, in: bytes))
    case PacketType.extendedReport:
      self = .extendedReport(try ExtendedReport(body: body, in: bytes))
    case PacketType.transportFeedback where count == GenericNACK.format:
      self = .genericNACK(try GenericNACK(body: body, in: bytes))
    default:
      self = .other(packetType: packetType, body: body)
    }
  }
}

/// What a sender report says about its sender's stream (RFC 3550 §6.4.1).
public struct SenderInfo: Hashable, Sendable {
  /// The report's moment on the sender's clock.
  public var ntp: NTPTimestamp
  /// The same moment on the stream's media clock.
  public var rtpTimestamp: RTPTimestamp
  /// RTP packets sent since the stream began; wraps.
  public var packetCount: UInt32
  /// Octets of payload sent since the stream began; wraps.
  public var octetCount: UInt32

  /// Octets on the wire.
  static let byteCount = 20

  /// Makes the sender information from its fields.
  public init(
    ntp: NTPTimestamp, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32
  ) {
    self.ntp = ntp
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }

  init(at offset: Int, in bytes: RawSpan) {
    ntp = NTPTimestamp(rawValue: bytes.uint64(at: offset))
    rtpTimestamp = RTPTimestamp(rawValue: bytes.uint32(at: offset + 8))
    packetCount = bytes.uint32(at: offset + 12)
    octetCount = bytes.uint32(at: offset + 16)
  }

  func write(at offset: Int, into bytes: inout MutableRawSpan) {
    bytes.store(ntp.rawValue, at: offset)
    bytes.store(rtpTimestamp.rawValue, at: offset + 8)
    bytes.store(packetCount, at: offset + 12)
    bytes.store(octetCount, at: offset + 16)
  }
}
