/// A transport-layer feedback packet that names lost packets (RFC 4585 §6.2.1), read on demand from
/// the bytes it was parsed in.
public struct GenericNACK: Hashable, Sendable {
  /// The feedback message type of a generic NACK.
  static let format = 1
  /// Octets of one entry: a packet identifier and a mask of the sixteen that follow it.
  static let entryBytes = 4

  /// The receiver that lacks packets.
  public let sender: SSRC
  /// The stream they belong to.
  public let source: SSRC
  private let entries: Range<Int>

  init(body: Range<Int>, in bytes: RawSpan) throws(RTPParseError) {
    guard body.count >= 8 + Self.entryBytes, (body.count - 8) % Self.entryBytes == 0 else {
      throw .feedback
    }
    sender = SSRC(rawValue: bytes.uint32(at: body.lowerBound))
    source = SSRC(rawValue: bytes.uint32(at: body.lowerBound + 4))
    entries = (body.lowerBound + 8)..<body.upperBound
  }

  /// Calls `body` with each packet named, at most `limit` times; `bytes` are those that were parsed.
  public func forEachLost(in bytes: RawSpan, limit: Int, _ body: (SequenceNumber) -> Void) {
    guard entries.upperBound <= bytes.byteCount else { return }
    var left = limit
    for entry in stride(from: entries.lowerBound, to: entries.upperBound, by: Self.entryBytes) {
      let first = SequenceNumber(rawValue: bytes.uint16(at: entry))
      // The identifier itself is as if its mask had one bit more, the lowest.
      let mask = UInt32(bytes.uint16(at: entry + 2)) << 1 | 1
      for bit in 0...16 where mask & 1 << UInt32(bit) != 0 {
        guard left > 0 else { return }
        left -= 1
        body(first.advanced(by: bit))
      }
    }
  }

  /// How many entries at the start of `lost`, which ascends, one after the other are needed.
  static func entryCount(_ lost: Span<SequenceNumber>) -> Int {
    var (count, index) = (0, 0)
    while index < lost.count {
      index = end(ofEntryAt: index, lost)
      count += 1
    }
    return count
  }

  /// The index behind the last packet that the entry beginning at `index` can name.
  static func end(ofEntryAt index: Int, _ lost: Span<SequenceNumber>) -> Int {
    var end = index + 1
    while end < lost.count, (1...16).contains(lost[index].distance(to: lost[end])) { end += 1 }
    return end
  }
}
