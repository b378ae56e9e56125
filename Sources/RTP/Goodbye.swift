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
