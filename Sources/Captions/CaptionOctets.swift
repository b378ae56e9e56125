internal import Cryptography

/// Writes numbers, the highest octet first, and texts after their length.
struct CaptionWriter {
  private(set) var octets: [UInt8] = []

  mutating func number(_ value: UInt64, byteCount: Int) {
    for index in (0..<byteCount).reversed() {
      octets.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
    }
  }

  mutating func bytes(_ bytes: some Sequence<UInt8>) { octets.append(contentsOf: bytes) }

  mutating func text(_ text: String, lengthBytes: Int) {
    number(UInt64(text.utf8.count), byteCount: lengthBytes)
    bytes(text.utf8)
  }
}

/// Reads what ``CaptionWriter`` writes; throws past the end, never traps.
struct CaptionReader {
  private let octets: [UInt8]
  private var offset = 0

  init(_ octets: [UInt8]) { self.octets = octets }

  var isAtEnd: Bool { offset == octets.count }

  mutating func number(_ byteCount: Int) throws(CaptionFault) -> UInt64 {
    try bytes(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bytes(_ byteCount: Int) throws(CaptionFault) -> ArraySlice<UInt8> {
    guard byteCount <= octets.count - offset else { throw .malformed }
    defer { offset += byteCount }
    return octets[offset..<offset + byteCount]
  }

  mutating func node() throws(CaptionFault) -> NodeID {
    guard let node = NodeID(octets: try bytes(NodeID.byteCount)) else { throw .malformed }
    return node
  }

  /// A text of UTF-8.
  mutating func text(lengthBytes: Int, most: Int) throws(CaptionFault) -> String {
    let count = Int(try number(lengthBytes))
    guard count <= most else { throw .oversized }
    return try text(count)
  }

  /// A text of so many octets of UTF-8.
  mutating func text(_ count: Int) throws(CaptionFault) -> String {
    guard let text = String(validating: try bytes(count), as: UTF8.self) else { throw .malformed }
    return text
  }

  func end() throws(CaptionFault) {
    guard isAtEnd else { throw .malformed }
  }
}
