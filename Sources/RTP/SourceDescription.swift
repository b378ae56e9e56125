/// An SDES packet: who the sources are (RFC 3550 §6.5), read on demand from the bytes it was
/// parsed in.
public struct SourceDescription: Hashable, Sendable {
  /// The item types that are read; others are skipped.
  enum Item {
    static let canonicalName: UInt8 = 1
    static let name: UInt8 = 2
  }

  /// One source and the texts on it, as offsets into the parsed bytes: UTF-8 by the rule
  /// (§6.5), anything by experience.
  public struct Chunk: Hashable, Sendable {
    /// The source described.
    public let ssrc: SSRC
    /// CNAME: the name that stays when the source's SSRC changes (§6.5.1).
    public fileprivate(set) var canonicalName: Range<Int>?
    /// NAME: what people call the source (§6.5.2).
    public fileprivate(set) var name: Range<Int>?
  }

  /// Most chunks of one packet (RFC 3550 §6.5).
  static let mostChunks = 31

  private let chunkCount: Int
  private let body: Range<Int>

  /// Walks the whole packet once to prove it sound.
  init(chunkCount: Int, body: Range<Int>, in bytes: RawSpan) throws(RTPParseError) {
    self.chunkCount = chunkCount
    self.body = body
    var offset = body.lowerBound
    for _ in 0..<chunkCount {
      offset = try Self.chunk(at: offset, of: body, in: bytes).next
    }
  }

  /// What the packet says about `ssrc`, in its first chunk on it; `bytes` are those it was parsed
  /// in.
  public func chunk(on ssrc: SSRC, in bytes: RawSpan) -> Chunk? {
    guard body.upperBound <= bytes.byteCount else { return nil }
    var offset = body.lowerBound
    for _ in 0..<chunkCount {
      guard let (chunk, next) = try? Self.chunk(at: offset, of: body, in: bytes) else { return nil }
      if chunk.ssrc == ssrc { return chunk }
      offset = next
    }
    return nil
  }

  private static func chunk(
    at start: Int, of body: Range<Int>, in bytes: RawSpan
  ) throws(RTPParseError) -> (chunk: Chunk, next: Int) {
    guard body.upperBound - start >= 4 else { throw .sourceDescription }
    var chunk = Chunk(ssrc: SSRC(rawValue: bytes.uint32(at: start)))
    var offset = start + 4
    while true {
      guard offset < body.upperBound else { throw .sourceDescription }
      let item = bytes.octet(at: offset)
      if item == 0 { break }
      guard body.upperBound - offset >= 2 else { throw .sourceDescription }
      let text = offset + 2
      let end = text + Int(bytes.octet(at: offset + 1))
      guard end <= body.upperBound else { throw .sourceDescription }
      if item == Item.canonicalName { chunk.canonicalName = text..<end }
      if item == Item.name { chunk.name = text..<end }
      offset = end
    }
    // The zero octet that ends the list is followed by more up to the next 32-bit boundary.
    let next = start + (offset - start) / 4 * 4 + 4
    guard next <= body.upperBound else { throw .sourceDescription }
    return (chunk, next)
  }
}

/// A BYE packet: sources that leave (RFC 3550 §6.6), read on demand from the bytes it was
/// parsed in.
public struct Goodbye: Hashable, Sendable {
  /// How many sources leave, 0...31.
  public let sourceCount: Int
  /// Why, as offsets of UTF-8 text in the parsed bytes, where the sender says.
  public let reason: Range<Int>?
  private let start: Int

  init(sourceCount: Int, body: Range<Int>, in bytes: RawSpan) throws(RTPParseError) {
    let end = body.lowerBound + 4 * sourceCount
    guard end <= body.upperBound else { throw .bye }
    self.sourceCount = sourceCount
    start = body.lowerBound
    guard end < body.upperBound else {
      reason = nil
      return
    }
    let text = end + 1
    let textEnd = text + Int(bytes.octet(at: end))
    guard textEnd <= body.upperBound else { throw .bye }
    reason = text..<textEnd
  }

  /// The leaving source at `index`; nil outside 0..<sourceCount.
  public func source(at index: Int, in bytes: RawSpan) -> SSRC? {
    guard index >= 0, index < sourceCount, start + 4 * index + 4 <= bytes.byteCount else {
      return nil
    }
    return SSRC(rawValue: bytes.uint32(at: start + 4 * index))
  }

  /// Whether `ssrc` is among those that leave.
  public func contains(_ ssrc: SSRC, in bytes: RawSpan) -> Bool {
    for index in 0..<sourceCount where source(at: index, in: bytes) == ssrc { return true }
    return false
  }
}
