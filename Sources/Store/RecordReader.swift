internal import Cryptography

/// Reads the content of a ``Record`` from its beginning on; nil where there is not as much.
struct RecordReader {
  private let octets: [UInt8]
  private var offset = 0

  init(_ content: RawSpan) { octets = content.byteOffsets.map { content.octet(at: $0) } }

  var isAtEnd: Bool { offset == octets.count }

  mutating func node() -> NodeID? {
    take(NodeID.byteCount).flatMap { NodeID(octets: $0) }
  }

  /// A number in that many octets, the highest first.
  mutating func number(_ count: Int) -> UInt64? {
    take(count)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// That many octets of UTF-8; nil where they are not.
  mutating func text(_ count: Int) -> String? {
    take(count).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Writes what ``number(_:)`` reads.
  static func octets(of number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard octets.count - offset >= count else { return nil }
    defer { offset += count }
    return octets[offset..<(offset + count)]
  }
}
