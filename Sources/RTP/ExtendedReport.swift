/// An XR packet, of which the two blocks are read that let a receiver measure the round trip
/// although it sends no media, RRTR and DLRR (RFC 3611 §2, §4.4, §4.5), and those on losses in detail
/// (`LossRuns`).
public struct ExtendedReport: Hashable, Sendable {
  enum BlockType {
    static let receiverReferenceTime: UInt8 = 4
    static let delaySinceLastReceiverReport: UInt8 = 5
  }

  /// One sub-block of a DLRR block: the echo of a receiver's reference time.
  public struct Echo: Hashable, Sendable {
    /// The receiver whose reference time comes back.
    public var ssrc: SSRC
    /// The middle bits of that reference time (LRR).
    public var lastRR: UInt32
    /// From its arrival to this report, in 1/65536 s (DLRR).
    public var delaySinceLastRR: UInt32

    /// Octets on the wire.
    static let byteCount = 12

    /// Makes an echo from its fields.
    public init(ssrc: SSRC, lastRR: UInt32, delaySinceLastRR: UInt32) {
      self.ssrc = ssrc
      self.lastRR = lastRR
      self.delaySinceLastRR = delaySinceLastRR
    }
  }

  /// Who reports.
  public let ssrc: SSRC
  /// The report's moment on the clock of its sender (RRTR), where it says.
  public private(set) var referenceTime: NTPTimestamp?
  private let blocks: Range<Int>

  init(body: Range<Int>, in bytes: RawSpan) throws(RTPParseError) {
    guard body.count >= 4 else { throw .extendedReport }
    ssrc = SSRC(rawValue: bytes.uint32(at: body.lowerBound))
    blocks = (body.lowerBound + 4)..<body.upperBound
    var offset = blocks.lowerBound
    while offset < blocks.upperBound {
      guard let content = Self.content(at: offset, of: blocks, in: bytes) else {
        throw .extendedReport
      }
      switch bytes.octet(at: offset) {
      case BlockType.receiverReferenceTime:
        guard content.count == 8 else { throw .extendedReport }
        referenceTime = NTPTimestamp(rawValue: bytes.uint64(at: content.lowerBound))
      case BlockType.delaySinceLastReceiverReport:
        guard content.count % Echo.byteCount == 0 else { throw .extendedReport }
      case LossRuns.Kind.received.rawValue, LossRuns.Kind.repaired.rawValue:
        guard content.count >= LossRuns.leastContentBytes else { throw .extendedReport }
      default:
        break
      }
      offset = content.upperBound
    }
  }

  /// The first echo of a reference time of `ssrc`; `bytes` are those the packet was parsed in.
  public func echo(to ssrc: SSRC, in bytes: RawSpan) -> Echo? {
    guard blocks.upperBound <= bytes.byteCount else { return nil }
    var offset = blocks.lowerBound
    while offset < blocks.upperBound {
      guard let content = Self.content(at: offset, of: blocks, in: bytes) else { return nil }
      if bytes.octet(at: offset) == BlockType.delaySinceLastReceiverReport {
        let echoes = content.count / Echo.byteCount
        for index in 0..<echoes {
          let start = content.lowerBound + index * Echo.byteCount
          guard bytes.uint32(at: start) == ssrc.rawValue else { continue }
          return Echo(
            ssrc: ssrc, lastRR: bytes.uint32(at: start + 4),
            delaySinceLastRR: bytes.uint32(at: start + 8))
        }
      }
      offset = content.upperBound
    }
    return nil
  }

  /// The first block of a kind on `ssrc` that tells of every packet; `bytes` are those the packet was
  /// parsed in.
  public func lossRuns(_ kind: LossRuns.Kind, of ssrc: SSRC, in bytes: RawSpan) -> LossRuns? {
    guard blocks.upperBound <= bytes.byteCount else { return nil }
    var offset = blocks.lowerBound
    while offset < blocks.upperBound {
      guard let content = Self.content(at: offset, of: blocks, in: bytes) else { return nil }
      // A thinned block leaves packets out (T, §4.1).
      if bytes.octet(at: offset) == kind.rawValue, bytes.octet(at: offset + 1) & 0x0F == 0 {
        let runs = LossRuns(content: content, in: bytes)
        if runs.ssrc == ssrc { return runs }
      }
      offset = content.upperBound
    }
    return nil
  }

  /// What follows a block's header of four octets, or nil when it ends after the packet (§3).
  private static func content(
    at offset: Int, of blocks: Range<Int>, in bytes: RawSpan
  ) -> Range<Int>? {
    guard blocks.upperBound - offset >= 4 else { return nil }
    let start = offset + 4
    let end = start + 4 * Int(bytes.uint16(at: offset + 2))
    return end <= blocks.upperBound ? start..<end : nil
  }
}
