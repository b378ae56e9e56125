/// What is to be written so that the file of a transcript has what is known.
public struct TranscriptStep: Sendable, Hashable {
  /// Whether the file is to be written anew; else the chunks are added at its end.
  public let isWhole: Bool
  /// What comes, in its order.
  public let chunks: [CaptionChunk]
  /// How many chunks are in the file before these.
  public let count: Int
}

/// What of a session is in its files.
///
/// In a file stands what does not change any more, in the order of its beginning: a chunk waits while something that
/// began before it may still change. So nearly all is added at the end; where something earlier comes, as the history
/// of a session, or a chunk that was settled is another, the file is to be written anew.
public struct TranscriptLedger: Sendable {
  /// What is in the file, in its order: index and content of each chunk.
  private var written: [(index: UInt32, digest: Int)] = []
  private var indices: Set<UInt32> = []
  /// Nobody knows what is in the file.
  private var isLost = true

  /// Nothing is written.
  public init() {}

  /// What is to be written; nil: nothing now.
  public func next(_ transcript: CaptionTranscript) -> TranscriptStep? {
    let chunks = settled(transcript)
    let isPrefix =
      written.count <= chunks.count
      && zip(written, chunks).allSatisfy { $0.index == $1.index && $0.digest == $1.hashValue }
    guard isLost || !isPrefix else {
      guard chunks.count > written.count else { return nil }
      return TranscriptStep(
        isWhole: false, chunks: Array(chunks[written.count...]), count: written.count)
    }
    guard !chunks.isEmpty || !written.isEmpty else { return nil }
    return TranscriptStep(isWhole: true, chunks: chunks, count: 0)
  }

  /// It is written.
  public mutating func note(_ step: TranscriptStep) {
    if step.isWhole { (written, indices, isLost) = ([], [], false) }
    written += step.chunks.map { ($0.index, $0.hashValue) }
    indices.formUnion(step.chunks.map(\.index))
  }

  /// It is not known what is in the file: all of it is to be written anew.
  public mutating func lose() { isLost = true }

  private func settled(_ transcript: CaptionTranscript) -> [CaptionChunk] {
    let chunks = transcript.chunks.values
    let open = chunks.lazy.filter { !transcript.isSettled($0) }.map(\.order).min()
    return chunks.filter { chunk in
      transcript.isSettled(chunk) && chunk.text.contains { !$0.isWhitespace }
        && (open.map { chunk.order < $0 } ?? true || indices.contains(chunk.index))
    }
    .sorted { $0.order < $1.order }
  }
}

extension CaptionChunk {
  /// By beginning, then by index.
  fileprivate var order: UInt64 { UInt64(startMilliseconds) << 32 | UInt64(index) }
}
