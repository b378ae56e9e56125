/// One packet of an RTCP compound (RFC 3550 §6).
///
/// Lists and texts are read on demand from the bytes the packet was parsed in.
public enum RTCPPacket: Hashable, Sendable {
  /// SR: a source that sent media tells of its stream and of what it receives.
  case senderReport(ssrc: SSRC, info: SenderInfo, blocks: ReportBlocks)
  /// RR: the same of one that sent none.
  case receiverReport(ssrc: SSRC, blocks: ReportBlocks)
  /// SDES: names.
  case sourceDescription(SourceDescription)
  /// BYE: sources leave.
  case bye(Goodbye)
  /// XR: reference times and their echoes, losses in detail (RFC 3611).
  case extendedReport(ExtendedReport)
  /// RTPFB: packets that are missed (RFC 4585 §6.2.1).
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
