/// The report blocks of one report, read on demand from the bytes they were parsed in.
public struct ReportBlocks: Hashable, Sendable {
  /// How many blocks there are, 0...31.
  public let count: Int
  private let start: Int

  init(count: Int, start: Int) {
    self.count = count
    self.start = start
  }

  /// The block at `index`; nil outside 0..<count or of other bytes that are too short.
  public func block(at index: Int, in bytes: RawSpan) -> ReportBlock? {
    guard index >= 0, index < count else { return nil }
    let offset = start + index * ReportBlock.byteCount
    guard offset + ReportBlock.byteCount <= bytes.byteCount else { return nil }
    return ReportBlock(at: offset, in: bytes)
  }

  /// The first block on `ssrc`.
  public func block(on ssrc: SSRC, in bytes: RawSpan) -> ReportBlock? {
    for index in 0..<count {
      if let block = block(at: index, in: bytes), block.ssrc == ssrc { return block }
    }
    return nil
  }
}
