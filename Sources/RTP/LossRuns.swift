/// An extended report's block on the packets of a stream received, in runs (Loss RLE, RFC 3611 §4.1), or
/// on which could be played after all repair (Post-repair Loss RLE, RFC 5725 §3); read on demand from
/// the bytes it was parsed in.
public struct LossRuns: Hashable, Sendable {
  /// What the block reports of each packet.
  public enum Kind: UInt8, Hashable, Sendable {
    /// Whether the packet arrived.
    case received = 1
    /// Whether its audio was in time: by the packet itself, a copy or RTX.
    case repaired = 10
  }

  /// Most packets in one block (RFC 3611 §4.1).
  public static let mostPackets = 65_534
  static let leastContentBytes = 8
  /// Packets in a chunk that is a vector of bits.
  private static let vectorPackets = 15
  private static let mostRunPackets = 0x3FFF

  /// The stream reported on.
  public let ssrc: SSRC
  /// The first packet reported on.
  public let begin: SequenceNumber
  /// How many packets from it on are reported on.
  public let count: Int
  private let chunks: Range<Int>

  /// Reads a block whose content has `leastContentBytes` at least.
  init(content: Range<Int>, in bytes: RawSpan) {
    ssrc = SSRC(rawValue: bytes.uint32(at: content.lowerBound))
    let first = bytes.uint16(at: content.lowerBound + 4)
    begin = SequenceNumber(rawValue: first)
    count = Int(bytes.uint16(at: content.lowerBound + 6) &- first)
    chunks = (content.lowerBound + 8)..<content.upperBound
  }

  /// Calls `body` with each run of packets alike, `count` packets in all or fewer where the block ends
  /// before; `bytes` are those that were parsed.
  public func forEachRun(in bytes: RawSpan, _ body: (_ isGood: Bool, _ packets: Int) -> Void) {
    guard chunks.upperBound <= bytes.byteCount else { return }
    var left = count
    var offset = chunks.lowerBound
    while left > 0, chunks.upperBound - offset >= 2 {
      let chunk = bytes.uint16(at: offset)
      offset += 2
      if chunk == 0 { return }  // the terminating null chunk (§4.1.4)
      if chunk & 0x8000 == 0 {
        let packets = min(left, Int(chunk & 0x3FFF))
        if packets > 0 { body(chunk & 0x4000 != 0, packets) }
        left -= packets
        continue
      }
      let packets = min(left, Self.vectorPackets)
      for bit in 0..<packets { body(chunk & 0x4000 >> UInt16(bit) != 0, 1) }
      left -= packets
    }
  }

  /// Chunks needed for `count` packets, an even number: a null chunk fills the word.
  static func chunkCount(_ count: Int, isGood: (Int) -> Bool) -> Int {
    var (chunks, index) = (0, 0)
    while index < count {
      index += chunk(at: index, of: count, isGood: isGood).packets
      chunks += 1
    }
    return (chunks + 1) & ~1
  }

  /// The chunk that tells of the packets from `index` on, and of how many it tells.
  ///
  /// A run that is longer than a vector becomes a run; all else a vector (§4.1.1, §4.1.2).
  static func chunk(
    at index: Int, of count: Int, isGood: (Int) -> Bool
  ) -> (chunk: UInt16, packets: Int) {
    let first = isGood(index)
    var run = 1
    while run < mostRunPackets, index + run < count, isGood(index + run) == first { run += 1 }
    if run >= vectorPackets { return ((first ? 0x4000 : 0) | UInt16(run), run) }
    let packets = min(vectorPackets, count - index)
    var vector: UInt16 = 0x8000
    for bit in 0..<packets where isGood(index + bit) { vector |= 0x4000 >> UInt16(bit) }
    return (vector, packets)
  }
}
