internal import Cryptography

/// The layout of every state file: a line with its kind and version (`comlink KIND 1`), the content, and
/// the SHA-256 of both.
///
/// The hash finds torn and rotten files; it is no protection from people, which the file's mode is.
struct Record: Sendable {
  /// Most octets of a file: a longer one is neither read nor written.
  static let fileLimitBytes = 64 * 1024

  /// What is in the file: `identity`, `instance`, `groups`, `mesh`, `mix`, `ports`, `names`, `page`,
  /// `page-tokens`, `lines`, `captions` or `mirror`.
  let kind: String

  private var head: [UInt8] { Array("comlink \(kind) 1\n".utf8) }

  /// Most octets of a content.
  var contentLimitBytes: Int { Self.fileLimitBytes - head.count - Digest.sha256ByteCount }

  /// The file of a content.
  func file(_ content: RawSpan) throws(CryptoError) -> SecretBytes {
    let head = head
    let bodyBytes = head.count + content.byteCount
    var file = try SecretBytes(byteCount: bodyBytes + Digest.sha256ByteCount)
    file.withMutableBytes { file in
      for (index, octet) in head.enumerated() { file.set(octet, at: index) }
      for index in content.byteOffsets {
        file.set(content.octet(at: index), at: head.count + index)
      }
    }
    let hash = file.withBytes { Digest.sha256($0.extracting(first: bodyBytes)) }
    file.withMutableBytes { file in
      for (index, octet) in hash.enumerated() { file.set(octet, at: bodyBytes + index) }
    }
    return file
  }

  /// Lets `body` read the content of a file; nil: it is damaged, of another kind or of another version.
  func read<Result: ~Copyable>(
    _ file: borrowing SecretBytes, _ body: (RawSpan) throws(CryptoError) -> Result?
  ) throws(CryptoError) -> Result? {
    try file.withBytes { file throws(CryptoError) -> Result? in
      let (head, hashBytes) = (head, Digest.sha256ByteCount)
      let contentBytes = file.byteCount - head.count - hashBytes
      guard contentBytes >= 0 else { return nil }
      let hash = Digest.sha256(file.extracting(droppingLast: hashBytes))
      let isWhole =
        head.indices.allSatisfy { file.octet(at: $0) == head[$0] }
        && hash.indices.allSatisfy {
          file.octet(at: file.byteCount - hashBytes + $0) == hash[$0]
        }
      guard isWhole else { return nil }
      return try body(file.extracting(head.count..<(head.count + contentBytes)))
    }
  }
}

/// Reads the content of a ``Record`` in order; nil past its end.
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

  /// That many octets.
  mutating func octets(_ count: Int) -> [UInt8]? { take(count).map { Array($0) } }

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

extension RawSpan {
  /// The octet at an offset, which must be within.
  func octet(at offset: Int) -> UInt8 {
    precondition(byteOffsets.contains(offset))
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

extension MutableRawSpan {
  /// Sets the octet at an offset, which must be within.
  mutating func set(_ octet: UInt8, at offset: Int) {
    storeBytes(of: octet, toByteOffset: offset, as: UInt8.self)
  }
}
