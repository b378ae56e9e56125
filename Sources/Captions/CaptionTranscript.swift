internal import Cryptography

/// What is known of a session: the same at everybody who got the same chunks, in whatever order and however often.
public struct CaptionTranscript: Sendable {
  /// Which session.
  public let key: CaptionSessionKey
  /// What is captioned, in its captioner's words.
  public let scope: String
  /// Whether it goes on; not while its captioner is away.
  public internal(set) var isLive: Bool
  /// When it began, by this node's steady clock.
  public private(set) var beganNanoseconds: Int64
  /// By index.
  public private(set) var chunks: [UInt32: CaptionChunk] = [:]
  /// About what they take.
  public private(set) var byteCount = 0
  /// How many of them stay as they are.
  public private(set) var finalCount = 0
  /// When the last of it ended, at most, and its last index.
  private(set) var endMilliseconds: Int64 = 0
  private(set) var lastIndex: UInt32?

  init(key: CaptionSessionKey, scope: String, beganNanoseconds: Int64) {
    (self.key, self.scope, self.beganNanoseconds) = (key, scope, beganNanoseconds)
    isLive = true
  }

  /// Takes what its captioner tells of it; of several times that it may have begun at, the others were told late.
  mutating func take(isLive: Bool, beganNanoseconds began: Int64) {
    self.isLive = isLive
    beganNanoseconds = min(beganNanoseconds, began)
  }

  /// Octets that a chunk adds; nil: what is there already holds.
  func growth(by chunk: CaptionChunk) throws(CaptionFault) -> Int? {
    let former = chunks[chunk.index]
    if let former, !former.isReplaced(by: chunk) { return nil }
    let growth = chunk.byteCount - (former?.byteCount ?? 0)
    guard chunks.count < CaptionLimits.chunks || former != nil,
      byteCount + growth <= CaptionLimits.sessionBytes
    else { throw .full }
    return growth
  }

  /// Takes a chunk that ``growth(by:)`` let in.
  mutating func put(_ chunk: CaptionChunk) {
    let former = chunks.updateValue(chunk, forKey: chunk.index)
    byteCount += chunk.byteCount - (former?.byteCount ?? 0)
    finalCount += (chunk.isFinal ? 1 : 0) - (former?.isFinal == true ? 1 : 0)
    endMilliseconds = max(endMilliseconds, chunk.endMilliseconds)
    lastIndex = max(lastIndex ?? 0, chunk.index)
  }

  /// The indices of final chunks as ranges, the first ``CaptionLimits/ranges`` of them.
  var held: [Range<UInt32>] {
    var ranges: [Range<UInt32>] = []
    for index in chunks.values.lazy.filter(\.isFinal).map(\.index).sorted() {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
      } else if ranges.count < CaptionLimits.ranges {
        ranges.append(index..<(index + 1))
      } else {
        break
      }
    }
    return ranges
  }

  /// Whether a chunk is shown as one that stays: one of a session that is over, or whose captioner is away, does not
  /// change any more.
  public func isSettled(_ chunk: CaptionChunk) -> Bool { chunk.isFinal || !isLive }
}

extension CaptionDesk {
  /// A chunk of a session as it is shown: without words that another captioner wrote down at the same time, as while
  /// one hands over to the next; nil: all of them, or it is not held.
  ///
  /// Of two sessions the one that began first holds, as far as this node knows; files of a session have all of it.
  public func shown(_ index: UInt32, of key: CaptionSessionKey) -> CaptionChunk? {
    guard let transcript = transcripts[key], let chunk = transcript.chunks[index] else {
      return nil
    }
    let before = transcripts.values.filter { other in
      other.key.captioner != key.captioner
        && (other.beganNanoseconds, other.key) < (transcript.beganNanoseconds, key)
    }
    guard !before.isEmpty else { return chunk }
    return DoubledWords.rest(
      of: chunk,
      after: before.sorted { $0.key < $1.key }.map { other in
        let later = (other.beganNanoseconds - transcript.beganNanoseconds) / 1_000_000
        return (other, laterMilliseconds: later)
      })
  }
}
